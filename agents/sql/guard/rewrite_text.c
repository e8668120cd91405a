/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/rewrite_text.c - appends; what does not fit is the buf's affair, asked at the
 * end.
 *
 * The company filter, and what was measured:
 * SQLite: a column's own collation may ignore case, and a number's affinity turns the text '007'
 * into 7; so the collation is named, and a column that is not known as text is compared as text,
 * too.
 * PostgreSQL: integer = text is an error, so a setting that looks like the type is cast to it, and
 * any other type is compared as text. CASE keeps the cast from ever seeing anything else. An unset
 * variable is ''. A column's own collation may hold different texts for equal, but only by it does
 * the index serve; so texts are compared twice, the second time by bytes, and within a CASE, which
 * the planner does not take for one more condition that leaves few rows.
 * MySQL: 'acme' = 'ACME', 'acme ' and 'acmé' under usual collations, 0 = 'acme' in a number's
 * column, and a variable's collation clashes with a column's. JSON_UNQUOTE gives a text whose
 * collation yields, so that the index serves; the second comparison is by bytes. */
#include "agents/sql/guard/rewrite_text.h"

#include <stdio.h>

#include "agents/sql/catalog/quote.h"
#include "agents/sql/grammar/words.h"

enum { OWNER_BYTES = 32 };

#define SQLITE_COMPANY   "session_var('company_id')"
#define POSTGRES_COMPANY "current_setting('app.company_id', true)"

static bool is_plain(struct str name)
{
    return sql_quote_is_word(SQL_SQLITE, name) && sql_words_find(name) == SQL_WORD_NONE;
}

void sql_rewrite_text_name(enum sql_dialect dialect, struct str name, struct buf *out)
{
    if (dialect == SQL_SQLITE && is_plain(name))
        buf_push(out, name);
    else
        sql_quote_name(dialect, name, out);
}

static bool is_ascii(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.at[i] >= 0x80)
            return false;
    return true;
}

/* Whether a query of WITH may take the table's place: MariaDB compares the names of queries by
 * Unicode's case, which a name that is not ASCII is not compared by here. */
static bool may_be_taken(const struct sql_parse *parse, struct str name)
{
    if (parse->cte_count > 0 && !is_ascii(name))
        return true;
    for (size_t i = 0; i < parse->cte_count; i++)
        if (str_equal_nocase(parse->ctes[i], name))
            return true;
    return false;
}

/* The schema to name, so that a query of WITH never takes the table's place. */
static struct str schema_of(const struct sql_parse *parse, const struct catalog_table *table)
{
    if (table->schema.len > 0 || parse->cte_count == 0)
        return table->schema;
    if (table->home.len > 0)
        return table->home;
    return may_be_taken(parse, table->name) ? parse->default_schema : table->schema;
}

void sql_rewrite_text_table(const struct sql_parse *parse, const struct catalog_table *table,
                            struct buf *out)
{
    struct str schema = schema_of(parse, table);
    if (schema.len > 0) {
        sql_rewrite_text_name(parse->dialect, schema, out);
        buf_push_char(out, '.');
    }
    sql_rewrite_text_name(parse->dialect, table->name, out);
}

static void push_column(enum sql_dialect dialect, struct str relation, struct str column,
                        struct buf *out)
{
    sql_rewrite_text_name(dialect, relation, out);
    buf_push_char(out, '.');
    sql_rewrite_text_name(dialect, column, out);
}

/* ---- masks ----
 *
 * '$' stands for the column as a text, '#' for the column itself. None fails on any value. The key
 * of a pseudonym is a variable of the session; without it, and of no value, all are NULL. How long
 * a value is, or that one is no address, is not told. */

static const char *const masks_of[][3] = {
    [COLUMN_ACCESS_NULL] = {"CASE WHEN 1 = 0 THEN # END", "CASE WHEN 1 = 0 THEN # END",
                            "CASE WHEN 1 = 0 THEN # END"},
    [COLUMN_ACCESS_LAST4] =
        {"CASE WHEN length($) >= 8 THEN '****' || substr($, -4) WHEN # IS NOT NULL THEN '****' END",
         "CASE WHEN length($) >= 8 THEN '****' || right($, 4) WHEN # IS NOT NULL THEN '****' END",
         "CASE WHEN CHAR_LENGTH($) >= 8 THEN CONCAT('****', RIGHT($, 4)) "
         "WHEN # IS NOT NULL THEN '****' END"},
    [COLUMN_ACCESS_HASH] = {"mask_hash(session_var('mask_key'), $)",
                            "left(encode(sha256(convert_to(nullif(current_setting('app.mask_key', "
                            "true), '') || $, 'UTF8')), 'hex'), 16)",
                            "LEFT(SHA2(CONCAT(@mask_key, $), 256), 16)"},
    [COLUMN_ACCESS_DOMAIN] =
        {"CASE WHEN instr($, '@') > 0 AND instr(substr($, instr($, '@') + 1), '@') = 0 "
         "THEN '***@' || substr($, instr($, '@') + 1) WHEN # IS NOT NULL THEN '***' END",
         "CASE WHEN strpos($, '@') > 0 THEN '***@' || right($, strpos(reverse($), '@') - 1) "
         "WHEN # IS NOT NULL THEN '***' END",
         "CASE WHEN LOCATE('@', $) > 0 THEN CONCAT('***@', SUBSTRING_INDEX($, '@', -1)) "
         "WHEN # IS NOT NULL THEN '***' END"},
};

static void push_masked(enum sql_dialect dialect, struct str relation,
                        const struct catalog_column *column, struct buf *out)
{
    static const char *const text_types[] = {
        [SQL_SQLITE] = "TEXT", [SQL_POSTGRES] = "text", [SQL_MYSQL] = "CHAR"};
    for (const char *at = masks_of[column->access][dialect]; *at != '\0'; at++) {
        if (*at != '$' && *at != '#') {
            buf_push_char(out, *at);
            continue;
        }
        if (*at == '$')
            buf_push(out, STR("CAST("));
        push_column(dialect, relation, column->name, out);
        if (*at == '$')
            buf_printf(out, " AS %s)", text_types[dialect]);
    }
}

/* In SQLite a quoted name that is not there is a string, so it is qualified. */
void sql_rewrite_text_columns(enum sql_dialect dialect, const struct catalog_table *table,
                              struct sql_rewrite_spans *masks, struct buf *out)
{
    bool first = true;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct catalog_column *column = &table->columns[i];
        if (column->hidden)
            continue;
        if (!first)
            buf_push(out, STR(", "));
        if (column_access_is_mask(column->access)) {
            size_t start = buf_len(out);
            push_masked(dialect, table->name, column, out);
            masks->at[masks->count++] = (struct sql_span){start, buf_len(out)};
            buf_push(out, STR(" AS "));
        } else if (dialect == SQL_SQLITE && !is_plain(column->name)) {
            sql_rewrite_text_name(dialect, table->name, out);
            buf_push_char(out, '.');
        }
        sql_rewrite_text_name(dialect, column->name, out);
        first = false;
    }
    if (first) /* a table of which nothing may be seen still has rows */
        buf_push(out, STR("NULL"));
}

static void push_sqlite(struct str relation, const struct catalog_column *column, struct buf *out)
{
    push_column(SQL_SQLITE, relation, column->name, out);
    buf_push(out, STR(" = " SQLITE_COMPANY " COLLATE BINARY"));
    if (column->type == CATALOG_TEXT)
        return;
    buf_push(out, STR(" AND CAST("));
    push_column(SQL_SQLITE, relation, column->name, out);
    buf_push(out, STR(" AS TEXT) = " SQLITE_COMPANY));
}

/* (c, whether c is the company by bytes) = (company, true): to the planner two conditions, to the
 * parser one. */
static void push_postgres_text(struct str relation, const struct catalog_column *column,
                               struct buf *out)
{
    buf_push_char(out, '(');
    push_column(SQL_POSTGRES, relation, column->name, out);
    buf_push(out, STR(", CASE WHEN "));
    push_column(SQL_POSTGRES, relation, column->name, out);
    buf_push(out, STR(" = " POSTGRES_COMPANY
                      " COLLATE \"C\" THEN true END) = (nullif(" POSTGRES_COMPANY ", ''), true)"));
}

static void push_postgres(struct str relation, const struct catalog_column *column, struct buf *out)
{
    bool uuid = str_equal_nocase(column->declared_type, STR("uuid"));
    if (column->type == CATALOG_TEXT && !uuid) {
        push_postgres_text(relation, column, out);
        return;
    }
    push_column(SQL_POSTGRES, relation, column->name, out);
    if (uuid)
        buf_push(out, STR(" = CASE WHEN " POSTGRES_COMPANY " ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-"
                          "[0-9a-f]{12}$' THEN CAST(" POSTGRES_COMPANY " AS uuid) END"));
    else if (column->type == CATALOG_INTEGER)
        buf_push(out, STR(" = CASE WHEN " POSTGRES_COMPANY " ~ '^(0|-?[1-9][0-9]{0,17})$' THEN "
                          "CAST(" POSTGRES_COMPANY " AS bigint) END"));
    else
        buf_push(out, STR("::text = nullif(" POSTGRES_COMPANY ", '')"));
}

static void push_mysql(struct str relation, const struct catalog_column *column, struct buf *out)
{
    buf_push_char(out, '(');
    push_column(SQL_MYSQL, relation, column->name, out);
    buf_push(out, STR(" = JSON_UNQUOTE(JSON_QUOTE(@company_id)) AND CAST(CONVERT("));
    push_column(SQL_MYSQL, relation, column->name, out);
    buf_push(out, STR(" USING utf8mb4) AS BINARY) = CAST(@company_id AS BINARY))"));
}

static void push_company(enum sql_dialect dialect, struct str relation,
                         const struct catalog_column *column, struct buf *out)
{
    switch (dialect) {
    case SQL_SQLITE:
        push_sqlite(relation, column, out);
        break;
    case SQL_POSTGRES:
        push_postgres(relation, column, out);
        break;
    case SQL_MYSQL:
        push_mysql(relation, column, out);
        break;
    }
}

/* ---- through foreign keys ---- */

struct owners { /* the tables a row's company is found through, as the condition calls them */
    struct sql_visible sees;
    const struct sql_parse *parse;
    const char *word; /* owner1, owner2, ...: the relation is called otherwise */
    struct buf *out;
};

static struct str owner_name(const struct owners *owners, size_t i, char *room, size_t room_bytes)
{
    snprintf(room, room_bytes, "%s%zu", owners->word, i + 1);
    return str_of(room);
}

static void push_owner(const struct owners *owners, const struct sql_tenancy_step *step, size_t i)
{
    char room[OWNER_BYTES];
    sql_rewrite_text_table(owners->parse, &owners->sees.catalog->tables[step->to], owners->out);
    buf_push(owners->out, STR(" AS "));
    sql_rewrite_text_name(owners->parse->dialect, owner_name(owners, i, room, sizeof room),
                          owners->out);
}

/* owner.id = relation.ownerId: SQLite then compares by the collation of the key referred to. */
static void push_step(const struct owners *owners, const struct sql_tenancy_step *step, size_t i,
                      struct str relation)
{
    char room[OWNER_BYTES];
    const struct catalog_table *tables = owners->sees.catalog->tables;
    struct str owner = owner_name(owners, i, room, sizeof room);
    for (size_t pair = 0; pair < step->reference->column_count; pair++) {
        int to = sql_tenancy_to_column(owners->sees, step, pair);
        int from = sql_tenancy_from_column(owners->sees, step, pair);
        if (pair > 0)
            buf_push(owners->out, STR(" AND "));
        push_column(owners->parse->dialect, owner, tables[step->to].columns[to].name, owners->out);
        buf_push(owners->out, STR(" = "));
        push_column(owners->parse->dialect, relation, tables[step->from].columns[from].name,
                    owners->out);
    }
}

/* EXISTS (SELECT 1 FROM a AS owner1 JOIN b AS owner2 ON ... WHERE owner1.id = relation.aId AND the
 * company of owner2): no row comes twice, whatever refers to it. */
static void push_exists(const struct owners *owners, struct str relation,
                        const struct sql_tenancy *tenancy)
{
    char room[OWNER_BYTES];
    buf_push(owners->out, STR("EXISTS (SELECT 1 FROM "));
    push_owner(owners, &tenancy->steps[0], 0);
    for (size_t i = 1; i < tenancy->step_count; i++) {
        buf_push(owners->out, STR(" JOIN "));
        push_owner(owners, &tenancy->steps[i], i);
        buf_push(owners->out, STR(" ON "));
        push_step(owners, &tenancy->steps[i], i, owner_name(owners, i - 1, room, sizeof room));
    }
    buf_push(owners->out, STR(" WHERE "));
    push_step(owners, &tenancy->steps[0], 0, relation);
    buf_push(owners->out, STR(" AND "));
    size_t last = tenancy->step_count - 1;
    int table = tenancy->steps[last].to;
    push_company(owners->parse->dialect, owner_name(owners, last, room, sizeof room),
                 &owners->sees.catalog->tables[table].columns[tenancy->column], owners->out);
    buf_push_char(owners->out, ')');
}

void sql_rewrite_text_filter(struct sql_visible sees, const struct sql_parse *parse,
                             struct str relation, int table, const struct sql_tenancy *tenancy,
                             struct buf *out)
{
    if (tenancy->step_count == 0) {
        push_company(parse->dialect, relation,
                     &sees.catalog->tables[table].columns[tenancy->column], out);
        return;
    }
    bool taken = str_equal_nocase(str_slice(relation, 0, 5), STR("owner"));
    const struct owners owners = {sees, parse, taken ? "holder" : "owner", out};
    push_exists(&owners, relation, tenancy);
}
