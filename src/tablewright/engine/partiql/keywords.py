"""The words PartiQL keeps for itself: as names they need double quotes.

These are the reserved words of SQL-92 and those PartiQL adds; case does not matter.
"""

from __future__ import annotations

_KEYWORDS = """
absolute action add all allocate alter and any are as asc assertion at authorization avg bag
begin between bigint bit bit_length blob bool boolean by cascade cascaded case cast catalog
char char_length character character_length check clob close coalesce collate collation column
commit conflict connect connection constraint constraints continue convert corresponding count
create cross current current_date current_time current_timestamp current_user cursor date
date_add date_diff deallocate dec decimal declare default deferrable deferred delete desc
describe descriptor diagnostics disconnect distinct do domain double drop else end escape except
exception exec execute exists external extract false fetch first float for foreign found from
full get global go goto grant group having identity immediate in index indicator initially inner
input insensitive insert int int2 int4 int8 integer integer2 integer4 integer8 intersect interval
into is isolation join key language last left let level like limit list local lower match max min
missing modified module names national natural nchar new next no not nothing null nullif numeric
octet_length of old on only open option or order outer output overlaps pad partial pivot position
precision prepare preserve primary prior privileges procedure public read real references
relative remove restrict returning revoke right rollback rows schema scroll section select
session session_user set sexp size smallint some space sql sqlcode sqlerror sqlstate string
struct substring sum symbol system_user table temporary then time timestamp to transaction
translate translation trim true tuple union unique unknown unpivot update upper usage user using
value values varchar varying view when whenever where with work write zone
"""
_FUNCTIONS = """
avg bag bit_length char_length character_length coalesce count exists list lower max min nullif
octet_length sexp size sum upper
"""
_OPERATORS = "and between except in intersect is like or union"
_UNSUPPORTED = "case cast date_add date_diff extract pivot substring trim unpivot values"
_TYPES = """
bag blob boolean character clob decimal float integer list missing null numeric real sexp
smallint string struct symbol timestamp tuple
"""

KEYWORDS = frozenset(_KEYWORDS.split())
#: Keywords that may be called like functions.
FUNCTIONS = frozenset(_FUNCTIONS.split())
#: Keywords that join two operands.
OPERATORS = frozenset(_OPERATORS.split())
#: Expressions of PartiQL that DynamoDB has no use for.
UNSUPPORTED = frozenset(_UNSUPPORTED.split())

#: The type names that may follow IS, and the names AWS knows them by.
TYPES = {name: name.upper() for name in _TYPES.split()} | {
    "bigint": "INTEGER8",
    "bool": "BOOLEAN",
    "char": "CHARACTER",
    "character varying": "CHARACTER_VARYING",
    "dec": "DECIMAL",
    "double precision": "DOUBLE_PRECISION",
    "int": "INTEGER",
    "int2": "SMALLINT",
    "int4": "INTEGER4",
    "int8": "INTEGER8",
    "integer2": "SMALLINT",
    "integer4": "INTEGER4",
    "integer8": "INTEGER8",
    "varchar": "CHARACTER_VARYING",
}
