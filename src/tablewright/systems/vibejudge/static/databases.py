"""Whether a product keeps data in a database, and how well it is laid out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tablewright.systems.vibejudge.static.codebase import Code, Codebase
from tablewright.systems.vibejudge.static.results import Finding

_USES = re.compile(
    r"(?m)^[ \t]*(?:import|from|use|using|require)\b[^\n]{0,100}\b(?:sqlalchemy|sqlmodel|peewee"
    r"|psycopg2?|"
    r"sqlite3|pymongo|motor|asyncpg|mysql|pymysql|aiosqlite|tortoise|beanie|mongoose|sequelize"
    r"|typeorm|"
    r"knex|gorm|diesel|sqlx|rusqlite|EntityFrameworkCore|SQLite|room|hibernate|jdbc|exposed)\b"
    r"|\bfrom django\.db import\b|\b(?:javax|jakarta)\.persistence\b|org\.springframework\.data\b"
    r"|require\(\s*['\"](?:mongoose|pg|mysql2?|sequelize|mongodb|knex|sqlite3"
    r"|better-sqlite3)['\"]\s*\)"
    r"|\bfrom\s+['\"](?:mongoose|pg|mysql2?|sequelize|typeorm|mongodb|knex|better-sqlite3"
    r"|drizzle-orm"
    r"|@prisma/client)['\"/]|\bnew mysqli\(|\bmysqli_connect\(|\bnew PDO\(|\"gorm\.io/gorm\""
    r"|\"database/sql\"|\"github\.com/(?:lib/pq|jackc/pgx)|< (?:ActiveRecord::Base"
    r"|ApplicationRecord)\b"
    r"|\bextends Model\b|Illuminate\\Database"
)
#: Stores of documents and items: what uses them, and what lays them out.
_DOCUMENTS = re.compile(
    r"\bmongoose\b|\bpymongo\b|\bmotor\.motor_|\bbeanie\b|\bMongoClient\b|['\"]mongodb['\"]"
    r"|go\.mongodb\.org/mongo-driver(?:/v2)?/mongo\b|\bMongoRepository\b|\bmongodb::|MongoDB\.Driver"
    r"|@aws-sdk/(?:client|lib)-dynamodb|\bDynamoDB(?:DocumentClient|Client|Mapper)?\b"
    r"|['\"]dynamodb['\"]|\bpynamodb\b|['\"]dynamoose['\"]|['\"]electrodb['\"]|service/dynamodb\b"
    r"|\btablewright\.model\b|\b(?:firebase|firebase-admin|@react-native-firebase)/firestore\b"
    r"|\bgoogle\.cloud(?:\.| import )firestore\b|@google-cloud/firestore|\bfirebase_firestore\b"
    r"|\bfirestore\.(?:client|Client|collection)\b|\bgetFirestore\(|\bFirebaseFirestore\b"
    r"|cloud\.google\.com/go/firestore|\bfirebase\.firestore\(|\badmin\.firestore\("
)
_DOCUMENT_WORDS = (
    "mongo",
    "dynamo",
    "firestore",
    "beanie",
    "motor",
    "electrodb",
    "tablewright",
)
_DOCUMENT_SCHEMA = re.compile(
    r"\bnew (?:mongoose\.)?Schema\(|\bmongoose\.Schema\b|`[^`\n]{0,80}\bbson:\"|\bKeySchema\b"
    r"|\bAttributeDefinitions\b|AWS::DynamoDB::Table|\baws_dynamodb_table\b|\bdynamodb\.Table\("
    r"|@DynamoDb(?:Bean|ed)|@DynamoDBTable\b|\bdynamodbav:\"|\bclass \w+\((?:Model|Document)\)"
    r"|\bdynamoose\.Schema\b|\bnew Entity\(|\bwithConverter\b|\bFirestoreDataConverter\b"
    r"|\$jsonSchema\b|@Document\b|@collection\b|\bKey\(\s*['\"]|\bfirestore:\""
)
_DOCUMENT_INDEXES = re.compile(
    r"\b(?:Global|Local)SecondaryIndex(?:es)?\b|\bglobal_secondary_index\b|\bIndexName\b"
    r"|\baddGlobalSecondaryIndex\(|\bGlobalSecondaryIndex\(|\bIndexes\(\)\.Create"
    r"|\bcreate_?[iI]ndex(?:es)?\(|\bensure_?[iI]ndex\(|\bmongo\.IndexModel\b|@Indexed\b"
    r"|\.index\(\s*\{|\bindex:\s*true\b|\bunique:\s*true\b|on=['\"]GSI"
)
#: Reads of a whole table, page by page or not.
_SCANS = re.compile(
    r"\bScanCommand\b|\.scan\(|\.Scan(?:Pages|WithContext)?\(\s*(?:ctx|&dynamodb|context)"
)
#: Where tables are laid out apart from code.
_DECLARED = re.compile(
    r"(?i)(?:^|/)(?:template|serverless|cloudformation|stack)[\w.-]*\.(?:ya?ml|json)$|\.tf$"
    r"|(?:^|/)firestore\.(?:rules|indexes\.json)$"
)
_SCHEMA = re.compile(
    r"(?i)\bcreate\s+table\b|\bmongoose\.Schema\(|\bnew Schema\(|@Entity\b|\bmodels\.Model\)"
    r"|\bdeclarative_base\(|\bDeclarativeBase\b|\bdb\.Model\b|table=True|\bgorm\.Model\b|`gorm:\""
    r"|sequelize\.define\(|\bDbSet<|< ApplicationRecord|\bpgTable\(|\bsqliteTable\("
    r"|Schema::create\("
    r"|\bcreate_table\b|\bextends Model\b|@Table\b|diesel::table!|\btable!\s*\{|\bmodel \w+ \{"
)
_MIGRATIONS = re.compile(
    r"(?i)(?:^|/)(?:migrations?|alembic|db/migrate|flyway|liquibase)/[^\n]+\.\w+$"
    r"|(?:^|/)V\d+__\w+\.sql$"
)
_INDEXES = re.compile(
    r"(?i)\bcreate\s+(?:unique\s+)?index\b|\bindex\s*=\s*True|\bunique\s*[=:]\s*true|db_index=True"
    r"|@@index|@@unique|@unique\b|@Index\b|@Column\([^)\n]{0,100}unique|\.index\(\s*[\[{'\"]"
    r"|createIndex\(|create_index\(|add_index\b|->(?:index|unique)\(|uniqueIndex|UniqueConstraint"
    r"|\bUNIQUE\s*\(|\bUNIQUE\b\s*(?:,|\n|NOT)|\bKEY\s+[`\"]|HasIndex\(|gorm:\"[^\"\n]{0,100}index"
)
_SCHEMA_FILES = ("SQL", "Prisma")


@dataclass(frozen=True, slots=True)
class DatabaseUse:
    used: bool
    relational: bool = False
    documents: bool = False
    schema: bool = False
    migrations: bool = False
    indexes: bool = False
    bound: bool = False
    #: Whole tables or collections are read.
    scans: bool = False
    #: Where it is spoken to first.
    where: Finding | None = None


def database_of(base: Codebase, *, concatenated: bool, scans: bool) -> DatabaseUse:
    """Find out which kinds of database a product uses, and how they are laid out."""
    texts = [(each, each.code[: each.product_end]) for each in base.product]
    relational = _first(texts, _USES, but=_DOCUMENTS)
    # Words are looked for first: they are found much quicker than the pattern.
    named = [(each, text) for each, text in texts if _names_documents(text.lower())]
    documents = _first(named, _DOCUMENTS)
    own = [each for each in base.own_files if base.roles[each.path] == "product" and each.text]
    declared = [each for each in own if each.language in _SCHEMA_FILES]
    laid_out = any(_SCHEMA.search(each.text or "") for each in declared)
    if relational is None and documents is None and not laid_out:
        return DatabaseUse(used=False)
    code = [text for _, text in texts]
    tables = code + [each.text or "" for each in declared]
    apart = [each for each in own if _DECLARED.search(each.path)]
    items = code + [each.text or "" for each in apart] if documents else []
    places = [each for each in (relational, documents) if each is not None]
    return DatabaseUse(
        used=True,
        relational=relational is not None or laid_out,
        documents=documents is not None,
        schema=_any(_SCHEMA, tables)
        or _any(_DOCUMENT_SCHEMA, items)
        or any(each.path.endswith("firestore.rules") for each in apart),
        migrations=any(_MIGRATIONS.search(each.path) for each in base.own_files),
        indexes=_any(_INDEXES, tables)
        or _any(_DOCUMENT_INDEXES, items)
        or any(each.path.endswith("firestore.indexes.json") for each in apart),
        bound=not concatenated,
        scans=scans or _any(_SCANS, code if documents else []),
        where=_where(*places[0]) if places else None,
    )


def _first(
    texts: list[tuple[Code, str]], pattern: re.Pattern[str], *, but: re.Pattern[str] | None = None
) -> tuple[Code, re.Match[str]] | None:
    """Find the first place where a pattern matches, unless that place means something else."""
    for code, text in texts:
        for found in pattern.finditer(text):
            if but is None or not but.search(found[0]):
                return code, found
    return None


def _names_documents(low: str) -> bool:
    return any(word in low for word in _DOCUMENT_WORDS)


def _any(pattern: re.Pattern[str], texts: list[str]) -> bool:
    return any(pattern.search(text) for text in texts)


def _where(code: Code, found: re.Match[str]) -> Finding:
    line = code.line_at(found.end() - 1)
    return code.finding("database", line, "info", "")
