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
    schema: bool = False
    migrations: bool = False
    indexes: bool = False
    bound: bool = False
    #: Where it is spoken to first.
    where: Finding | None = None


def database_of(base: Codebase, concatenated: bool) -> DatabaseUse:
    texts = [(each, each.code[: each.product_end]) for each in base.product]
    first = next(((code, found) for code, text in texts if (found := _USES.search(text))), None)
    own = [each for each in base.own_files if base.roles[each.path] == "product" and each.text]
    declared = [each for each in own if each.language in _SCHEMA_FILES]
    laid_out = any(_SCHEMA.search(each.text or "") for each in declared)
    if first is None and not laid_out:
        return DatabaseUse(used=False)
    extra = [each.text or "" for each in declared]
    everything = [text for _, text in texts] + extra
    return DatabaseUse(
        used=True,
        schema=any(_SCHEMA.search(text) for text in everything),
        migrations=any(_MIGRATIONS.search(each.path) for each in base.own_files),
        indexes=any(_INDEXES.search(text) for text in everything),
        bound=not concatenated,
        where=_where(*first) if first else None,
    )


def _where(code: Code, found: re.Match[str]) -> Finding:
    line = code.line_at(found.end() - 1)
    return code.finding("database", line, "info", "")
