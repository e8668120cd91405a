/* SPDX-License-Identifier: MIT */
/* samples/dump.c - what SQLite says about itself, said again in another dialect.
 *
 * Happy path: every table without its references, its rows, then all references, then the views.
 * Failure: not a dialect, not a database, a view that is more than columns of one table. */
#include "samples/dump.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { ROWS_A_STATEMENT = 200 };

struct dump {
    sqlite3 *db;
    bool mysql, failed;
};

static sqlite3_stmt *ask(struct dump *dump, const char *sql, const char *name)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(dump->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fprintf(stderr, "make_samples: %s\n", sqlite3_errmsg(dump->db));
        dump->failed = true;
    } else if (name != NULL) {
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
    }
    return statement;
}

static const char *text_at(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text == NULL ? "" : (const char *)text;
}

static void write_name(const struct dump *dump, const char *name)
{
    printf(dump->mysql ? "`%s`" : "\"%s\"", name);
}

/* Text that may be a key has a length in MySQL; a bare NUMERIC has no fraction there. */
static const char *type_of(const struct dump *dump, const char *declared)
{
    static const char *const types[][3] = {{"INTEGER", "INTEGER", "INTEGER"},
                                           {"TEXT", "TEXT", "VARCHAR(255)"},
                                           {"NUMERIC", "NUMERIC", "DECIMAL(14,4)"},
                                           {"TIMESTAMP", "TIMESTAMP", "DATETIME"},
                                           {"DATE", "DATE", "DATE"},
                                           {"BOOLEAN", "BOOLEAN", "BOOLEAN"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcasecmp(declared, types[i][0]) == 0)
            return types[i][dump->mysql ? 2 : 1];
    return declared;
}

static void write_uniques(struct dump *dump, const char *table)
{
    sqlite3_stmt *s = ask(dump,
                          "SELECT (SELECT min(name) FROM pragma_index_info(l.name)) FROM"
                          " pragma_index_list(?1) l WHERE l.\"unique\" AND l.origin = 'u' AND"
                          " (SELECT count(*) FROM pragma_index_info(l.name)) = 1 ORDER BY 1",
                          table);
    while (sqlite3_step(s) == SQLITE_ROW) {
        printf(",\n  UNIQUE (");
        write_name(dump, text_at(s, 0));
        printf(")");
    }
    sqlite3_finalize(s);
}

static void write_table(struct dump *dump, const char *table)
{
    sqlite3_stmt *s = ask(
        dump, "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1) ORDER BY cid", table);
    printf("CREATE TABLE ");
    write_name(dump, table);
    for (const char *lead = " (\n  "; sqlite3_step(s) == SQLITE_ROW; lead = ",\n  ") {
        printf("%s", lead);
        write_name(dump, text_at(s, 0));
        printf(" %s%s%s", type_of(dump, text_at(s, 1)),
               sqlite3_column_int(s, 2) != 0 ? " NOT NULL" : "",
               sqlite3_column_int(s, 3) == 1 ? " PRIMARY KEY" : "");
    }
    sqlite3_finalize(s);
    write_uniques(dump, table);
    printf("\n);\n");
}

static void write_value(const struct dump *dump, sqlite3_stmt *row, int column)
{
    const char *declared = sqlite3_column_decltype(row, column);
    const char *text = text_at(row, column);
    bool is_boolean = declared != NULL && strcasecmp(declared, "BOOLEAN") == 0;
    if (sqlite3_column_type(row, column) == SQLITE_NULL) {
        printf("NULL");
    } else if (is_boolean) {
        printf(sqlite3_column_int(row, column) != 0 ? "TRUE" : "FALSE");
    } else if (sqlite3_column_type(row, column) != SQLITE_TEXT) {
        printf("%s", text);
    } else {
        putchar('\'');
        for (; *text != '\0'; text++) {
            if (*text == '\'' || (*text == '\\' && dump->mysql))
                putchar(*text);
            putchar(*text);
        }
        putchar('\'');
    }
}

static void write_rows(struct dump *dump, const char *table)
{
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\" ORDER BY rowid", table);
    sqlite3_stmt *s = ask(dump, sql, NULL);
    size_t count = 0;
    for (; sqlite3_step(s) == SQLITE_ROW; count++) {
        if (count % ROWS_A_STATEMENT == 0) {
            printf("%sINSERT INTO ", count > 0 ? ";\n" : "");
            write_name(dump, table);
            printf(" VALUES");
        }
        printf(count % ROWS_A_STATEMENT == 0 ? "\n(" : ",\n(");
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            if (i > 0)
                putchar(',');
            write_value(dump, s, i);
        }
        putchar(')');
    }
    if (count > 0)
        printf(";\n");
    sqlite3_finalize(s);
    sqlite3_free(sql);
}

static void write_references(struct dump *dump, const char *table)
{
    sqlite3_stmt *s = ask(dump,
                          "SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(?1)"
                          " WHERE seq = 0 ORDER BY id",
                          table);
    while (sqlite3_step(s) == SQLITE_ROW) {
        printf("ALTER TABLE ");
        write_name(dump, table);
        printf(" ADD FOREIGN KEY (");
        write_name(dump, text_at(s, 0));
        printf(") REFERENCES ");
        write_name(dump, text_at(s, 1));
        printf(" (");
        write_name(dump, text_at(s, 2));
        printf(");\n");
    }
    sqlite3_finalize(s);
}

/* Its columns, of the table that stands last in its text. */
static void write_view(struct dump *dump, const char *view)
{
    sqlite3_stmt *text = ask(dump, "SELECT sql FROM sqlite_master WHERE name = ?1", view);
    sqlite3_stmt *s = ask(dump, "SELECT name FROM pragma_table_info(?1) ORDER BY cid", view);
    const char *sql = sqlite3_step(text) == SQLITE_ROW ? text_at(text, 0) : "";
    const char *from = strstr(sql, " FROM ");
    if (from == NULL || strpbrk(from + 6, " ,(") != NULL) {
        fprintf(stderr, "make_samples: view %s is not columns of one table\n", view);
        dump->failed = true;
    } else {
        printf("CREATE VIEW ");
        write_name(dump, view);
        for (const char *lead = " AS SELECT "; sqlite3_step(s) == SQLITE_ROW; lead = ", ") {
            printf("%s", lead);
            write_name(dump, text_at(s, 0));
        }
        printf(" FROM ");
        write_name(dump, from + 6);
        printf(";\n");
    }
    sqlite3_finalize(s);
    sqlite3_finalize(text);
}

static void each(struct dump *dump, const char *type, void (*write)(struct dump *, const char *))
{
    sqlite3_stmt *s = ask(dump,
                          "SELECT name FROM sqlite_master WHERE type = ?1 AND name NOT LIKE"
                          " 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
                          type);
    while (!dump->failed && sqlite3_step(s) == SQLITE_ROW)
        write(dump, text_at(s, 0));
    sqlite3_finalize(s);
}

bool dump_write(const char *path, const char *dialect)
{
    struct dump dump = {.mysql = strcmp(dialect, "mysql") == 0};
    if (!dump.mysql && strcmp(dialect, "postgres") != 0) {
        fprintf(stderr, "make_samples: expected postgres or mysql, got '%s'\n", dialect);
        return false;
    }
    if (sqlite3_open_v2(path, &dump.db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
        fprintf(stderr, "make_samples: %s: %s\n", path, sqlite3_errmsg(dump.db));
        dump.failed = true;
    }
    each(&dump, "table", write_table);
    each(&dump, "table", write_rows);
    each(&dump, "table", write_references);
    each(&dump, "view", write_view);
    sqlite3_close(dump.db);
    return !dump.failed && fflush(stdout) == 0;
}
