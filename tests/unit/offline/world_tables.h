/* SPDX-License-Identifier: MIT */
/* tests/unit/offline/world_tables.h - the tables and values of world.h. */
#ifndef TESTS_UNIT_OFFLINE_WORLD_TABLES_H
#define TESTS_UNIT_OFFLINE_WORLD_TABLES_H

#include "agents/sql/catalog/catalog.h"

struct world_column {
    const char *name;
    enum catalog_type type;
    const char *to; /* table it refers to */
    bool unique, hidden, pii, nullable;
};

struct world_table {
    const char *name;
    struct world_column columns[10];
};

static const struct world_table world_tables[] = {
    {"clients",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"email", CATALOG_TEXT, .pii = true},
      {"city", CATALOG_TEXT},
      {"is_member", CATALOG_BOOLEAN},
      {"created_at", CATALOG_TIMESTAMP},
      {"secret_note", CATALOG_TEXT, .hidden = true}}},
    {"orders",
     {{"id", CATALOG_INTEGER},
      {"client_id", CATALOG_INTEGER, .to = "clients"},
      {"order_number", CATALOG_TEXT, .unique = true},
      {"status", CATALOG_TEXT},
      {"total", CATALOG_NUMBER},
      {"shipped_date", CATALOG_DATE, .nullable = true},
      {"created_at", CATALOG_TIMESTAMP}}},
    {"order_items",
     {{"id", CATALOG_INTEGER},
      {"order_id", CATALOG_INTEGER, .to = "orders"},
      {"product_id", CATALOG_INTEGER, .to = "products"},
      {"quantity", CATALOG_INTEGER}}},
    {"products",
     {{"id", CATALOG_INTEGER},
      {"name", CATALOG_TEXT},
      {"price", CATALOG_NUMBER},
      {"category", CATALOG_TEXT}}},
    {"author",
     {{"id", CATALOG_INTEGER},
      {"firstName", CATALOG_TEXT},
      {"lastName", CATALOG_TEXT},
      {"birthYear", CATALOG_INTEGER}}},
    {"book",
     {{"id", CATALOG_INTEGER},
      {"title", CATALOG_TEXT},
      {"editorId", CATALOG_INTEGER, .to = "author"},
      {"pageCount", CATALOG_INTEGER},
      {"isPrinted", CATALOG_BOOLEAN},
      {"publishedDate", CATALOG_DATE}}},
    {"bookAuthor",
     {{"id", CATALOG_INTEGER},
      {"bookId", CATALOG_INTEGER, .to = "book"},
      {"authorId", CATALOG_INTEGER, .to = "author"}}},
};

static const struct {
    const char *table, *column, *value;
} world_values[] = {
    {"clients", "name", "Ada Stone"},    {"clients", "name", "Ben Hill"},
    {"clients", "city", "Oslo"},         {"clients", "city", "Bergen"},
    {"orders", "order_number", "OR-17"}, {"orders", "status", "open"},
    {"orders", "status", "shipped"},     {"orders", "status", "on_hold"},
    {"products", "name", "Kettle"},      {"products", "category", "kitchen"},
    {"products", "category", "garden"},  {"author", "firstName", "Mary"},
    {"author", "lastName", "Shelley"},   {"book", "title", "Frankenstein"},
};

#endif
