/* SPDX-License-Identifier: MIT */
/* agents/lexicon/index.h - the inside of a lexicon: an index from stemmed names and values to what
 * they may mean, and what each table may be used for (label, key, measure, date).
 *
 * lexicon.c builds it; from then on it is immutable, for any thread. Tables behind secure views
 * have their logical names; hidden columns are left out. */
#ifndef AGENTS_LEXICON_INDEX_H
#define AGENTS_LEXICON_INDEX_H

#include "agents/lexicon/exact.h"
#include "agents/sql/catalog/catalog.h"
#include "core/base/map.h"

enum lexicon_link_kind {
    LINK_TABLE,
    LINK_COLUMN,
    LINK_LABEL, /* "name" of a table whose label is made of other columns */
    LINK_VALUE,
    LINK_BOOL,   /* adjective of a boolean column */
    LINK_ROLE,   /* a reference by its own name: inspector -> inspections.inspectorId */
    LINK_MOMENT, /* a verb that is a date column: hired -> hireDate */
    LINK_METRIC, /* an aggregate that the semantic file names */
};

struct lexicon_code;
struct lexicon_column;
struct lexicon_spellings;
struct semantic;
struct semantic_named;

struct lexicon_link {
    enum lexicon_link_kind kind;
    int table, column;
    struct str value;                   /* LINK_VALUE: as the database spells it */
    bool negative;                      /* LINK_BOOL: the opposite is said; LINK_ROLE: the rows
                                           that refer are meant, not those that are referred to */
    int score;                          /* 100 exact, 80 synonym, 70 head noun */
    const struct semantic_named *named; /* LINK_METRIC, LINK_BOOL: of the semantic file */
    uint64_t owners[2]; /* LINK_VALUE: whose it is (owned.h); 0: everybody's, or one only */
};

enum { OFFLINE_LABELS = 3, ENGLISH_WORDS = 6, OFFLINE_FAR = 255 };
enum {
    OFFLINE_SCORE_DECLARED = 112, /* a word of the semantic file that is no name */
    OFFLINE_SCORE_COPY = 85,      /* a reference that is called like the key it refers to */
    OFFLINE_SCORE_VERB = 60,      /* "treated" for treatments */
    OFFLINE_SCORE_DEED = 58,      /* "sold" for the rows that say what was sold */
    OFFLINE_SCORE_GENERAL = 50,   /* "type", "id": only of a table that is mentioned */
    OFFLINE_SCORE_KIND = 45       /* the noun that a kind column sorts: only behind its value */
};

struct lexicon_facts {
    bool visible;
    bool person;                /* has a first and a last name */
    int key;                    /* the single primary key column, or CATALOG_NONE */
    int labels[OFFLINE_LABELS]; /* columns that name a row */
    size_t label_count;
    int measure;   /* the one numeric column meant when none is named */
    int began;     /* the date meant when none is named */
    int ended;     /* the date when what began then ended, where two dates say so */
    int header;    /* of a line of an order: the table of orders, which has its date */
    int quantity;  /* how many of a thing a line says, or CATALOG_NONE */
    size_t shared; /* words that the names of all its columns begin with, which say nothing */
    int thing;     /* the things sold, where rows are sales; or CATALOG_NONE */
    /* The condition on rows that count, where some rows stay only marked as deleted; or NULL. */
    const struct semantic_named *living;
};

struct offline_entry {
    struct lexicon_link link;
    struct offline_entry *next;
};

struct lexicon {
    const struct catalog *catalog;
    const struct semantic *semantic; /* NULL: there is none */
    struct arena arena;
    struct map names, values; /* key of stems -> struct offline_entry list */
    struct map parts;         /* stem of a word inside a name or a value -> the same */
    struct lexicon_exact exact;
    struct str prefix;                   /* a word that all tables' names begin with; empty: none */
    struct map verified;                 /* agents/lexicon/verified.h */
    struct lexicon_spellings *spellings; /* agents/lexicon/spelling.h */
    struct lexicon_facts *facts;         /* one per table */
    uint8_t *hops;                       /* table_count squared: references between two tables */
    struct lexicon_column **columns;     /* by table: its columns' values (column_values.h) */
    struct lexicon_code **codes;         /* by table: what its columns' codes mean (codes.h) */
    unsigned columns_read;               /* whose values were read */
    uint64_t company;                    /* that asks (owned.h); 0: none, and all values are seen */
};

/* Enter words by their stems and synonyms. False: no memory. */
MUST_USE bool lexicon_index_enter(struct lexicon *lexicon, const struct str *words, size_t count,
                                  struct lexicon_link link);
/* Enter a word of a longer name, for whoever says only that. False: no memory. */
MUST_USE bool lexicon_index_enter_part(struct lexicon *lexicon, struct str word,
                                       struct lexicon_link link);
/* Whether values of the column belong in the index. */
bool lexicon_index_wants(const struct lexicon *lexicon, int table, int column);
/* Add one distinct value; too long or wordless ones are passed over. False: no memory. */
MUST_USE bool lexicon_index_add(struct lexicon *lexicon, int table, int column, struct str value);
/* Add one distinct value that belongs to owners (owned.h), else as lexicon_index_add. */
MUST_USE bool lexicon_index_add_owned(struct lexicon *lexicon, int table, int column,
                                      struct str value, const uint64_t owners[2]);
/* Enter words that a value, link, is also said by. False: no memory. */
MUST_USE bool lexicon_index_enter_value(struct lexicon *lexicon, const struct str *words,
                                        size_t count, struct lexicon_link link);
/* The lexicon as somebody of a company sees it: without values that only other companies have. A
 * shallow copy that borrows everything from lexicon; never destroy it. */
struct lexicon lexicon_index_seen_by(const struct lexicon *lexicon, struct str company);
/* Whether the company that asks may see a value of these owners. */
bool lexicon_index_is_seen(const struct lexicon *lexicon, const uint64_t owners[2]);
/* Write to links what words[0..count) as one phrase may mean, names before values. Returns how many
 * links, at most max. */
size_t lexicon_index_find(const struct lexicon *lexicon, const struct str *words, size_t count,
                          struct lexicon_link *links, size_t max);
/* Write to links the names and values that a word is a part of; of a value, link.value is only the
 * word. Returns how many links, at most max. */
size_t lexicon_index_find_part(const struct lexicon *lexicon, struct str word,
                               struct lexicon_link *links, size_t max);
/* How many references lie between two tables on the shortest way; OFFLINE_FAR: no way. */
unsigned lexicon_index_hops(const struct lexicon *lexicon, int from, int to);
/* The reference of table whose only column is column; NULL: none. */
const struct catalog_reference *lexicon_index_reference(const struct catalog *catalog, int table,
                                                        int column);
bool lexicon_index_is_number(const struct catalog *catalog, int table, int column);
bool lexicon_index_is_date(const struct catalog *catalog, int table, int column);
/* Whether a name begins with "is", "has", "was" or "can". */
bool lexicon_index_has_adverb(struct str name);
bool lexicon_index_is_boolean(const struct catalog *catalog, int table, int column);
/* Whether the column is one of those that name a row of its table. */
bool lexicon_index_is_label(const struct lexicon *lexicon, int table, int column);

#endif
