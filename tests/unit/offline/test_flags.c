/* SPDX-License-Identifier: MIT */
/* Columns of yes and no, however they are kept: what a question says of rows by their names is a
 * condition, and never a column that is shown of all rows. Judged by rows. */
#include "tests/lib/test.h"

#include <unistd.h>

#include "tests/offline_eval/database.h"
#include "tests/unit/offline/same_rows.h"

/* Names of English words, 0 and 1. */
static const char snake[] =
    "CREATE TABLE artists(id INTEGER PRIMARY KEY, name TEXT NOT NULL, is_active INTEGER NOT NULL);"
    "CREATE TABLE songs(id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES"
    " artists(id), explicit INTEGER NOT NULL, seconds INTEGER);"
    "INSERT INTO artists VALUES (1,'Mira Holt',1), (2,'Old Pines',0), (3,'Juno',1);"
    "INSERT INTO songs VALUES (1,'Rain',1,0,200), (2,'Dust',2,1,180), (3,'Loud',3,1,240),"
    " (4,'Sea',1,0,300);";

/* Names of another language, S and N; the file says what they mean. */
static const char letters[] =
    "CREATE TABLE recinto(idRecinto INTEGER PRIMARY KEY, nome TEXT NOT NULL, lotacao INTEGER,"
    " arLivre TEXT, ativo TEXT, coberto TEXT);"
    "CREATE TABLE encomenda(idEncomenda INTEGER PRIMARY KEY, numero TEXT, idRecinto INTEGER"
    " REFERENCES recinto(idRecinto), paga TEXT, anulada TEXT);"
    "INSERT INTO recinto VALUES (1,'Arena Norte',900,'N','S','S'),"
    " (2,'Parque Sul',2500,'S','S','N'), (3,'Coliseu',1200,'N','N','P'),"
    " (4,'Jardim',300,'S','S','N');"
    "INSERT INTO encomenda VALUES (1,'E1',1,'S','N'), (2,'E2',2,'N','N'), (3,'E3',2,'S','S'),"
    " (4,'E4',4,'S','N');";
static const char letters_file[] =
    "{\"version\":1,\"tables\":{\"recinto\":{\"label\":\"venue\",\"columns\":{"
    "\"nome\":{\"label\":\"name\"},\"lotacao\":{\"label\":\"capacity\"},"
    "\"arLivre\":{\"label\":\"open air\"},\"ativo\":{\"label\":\"active\"},"
    "\"coberto\":{\"label\":\"covered\"}}},"
    "\"encomenda\":{\"label\":\"order\",\"rows\":\"anulada = 'N'\",\"columns\":{"
    "\"numero\":{\"label\":\"number\"},\"paga\":{\"label\":\"paid\"},"
    "\"anulada\":{\"label\":\"voided\"}}}}}";

/* Names that no "is" starts, Y and N, T and F. */
static const char words[] =
    "CREATE TABLE machine(id INTEGER PRIMARY KEY, name TEXT NOT NULL, active TEXT, portable TEXT,"
    " waterProof TEXT, rented TEXT);"
    "INSERT INTO machine VALUES (1,'Drill','Y','T','N','maybe'), (2,'Press','N','F','Y','yes'),"
    " (3,'Saw','Y','T','N','no'), (4,'Lathe','Y','F','N','no');";

static const struct {
    const char *schema, *file, *question, *sql; /* sql NULL: not answered */
} cases[] = {
    {snake, NULL, "Which artists are active?", "SELECT name FROM artists WHERE is_active = 1"},
    {snake, NULL, "What artists are active", "SELECT name FROM artists WHERE is_active = 1"},
    {snake, NULL, "How many artists are active?",
     "SELECT COUNT(*) FROM artists WHERE is_active = 1"},
    {snake, NULL, "Which artists are inactive?", "SELECT name FROM artists WHERE is_active = 0"},
    {snake, NULL, "Which artists are not active?", "SELECT name FROM artists WHERE is_active = 0"},
    {snake, NULL, "Which songs are explicit?", "SELECT title FROM songs WHERE explicit = 1"},
    {snake, NULL, "How many songs are explicit?", "SELECT COUNT(*) FROM songs WHERE explicit = 1"},
    {snake, NULL, "How many songs are not explicit?",
     "SELECT COUNT(*) FROM songs WHERE explicit = 0"},
    {letters, letters_file, "Which venues are open air?",
     "SELECT nome FROM recinto WHERE arLivre = 'S'"},
    {letters, letters_file, "How many venues are open air?",
     "SELECT COUNT(*) FROM recinto WHERE arLivre = 'S'"},
    {letters, letters_file, "open air venues", "SELECT nome FROM recinto WHERE arLivre = 'S'"},
    {letters, letters_file, "Which venues are not open air?",
     "SELECT nome FROM recinto WHERE arLivre = 'N'"},
    {letters, letters_file, "Which venues are active?",
     "SELECT nome FROM recinto WHERE ativo = 'S'"},
    {letters, letters_file, "Which venues are inactive?",
     "SELECT nome FROM recinto WHERE ativo = 'N'"},
    {letters, letters_file, "Which orders are paid?",
     "SELECT numero FROM encomenda WHERE paga = 'S' AND anulada = 'N'"},
    {letters, letters_file, "How many orders are not paid?",
     "SELECT COUNT(*) FROM encomenda WHERE paga = 'N' AND anulada = 'N'"},
    {letters, letters_file, "Which orders are voided?", NULL},
    {letters, letters_file, "How many orders are voided?", NULL},
    {letters, letters_file, "Which venues are open air and active?",
     "SELECT nome FROM recinto WHERE arLivre = 'S' AND ativo = 'S'"},
    {letters, NULL, "Which recintos are inactive?", "SELECT nome FROM recinto WHERE ativo = 'N'"},
    {letters, letters_file, "Which orders are not voided?",
     "SELECT numero FROM encomenda WHERE anulada = 'N'"},
    {letters, letters_file, "Which venues are covered?", NULL},
    {letters, letters_file, "Which venues are not covered?", NULL},
    {words, NULL, "Which machines are active", "SELECT name FROM machine WHERE active = 'Y'"},
    {words, NULL, "Which machines are inactive?", "SELECT name FROM machine WHERE active = 'N'"},
    {words, NULL, "How many machines are portable?",
     "SELECT COUNT(*) FROM machine WHERE portable = 'T'"},
    {words, NULL, "What machines are not portable?",
     "SELECT name FROM machine WHERE portable = 'F'"},
    {words, NULL, "Which machines are water proof?",
     "SELECT name FROM machine WHERE waterProof = 'Y'"},
    {words, NULL, "Which machines are rented?", NULL},
    {words, NULL, "How many machines are rented?", NULL},
};

struct opened {
    struct database database;
    sqlite3 *db;
    char path[16];
};

static void open_tables(struct opened *opened, const char *schema, const char *file)
{
    *opened = (struct opened){.database.file = file, .path = "flags-XXXXXX"};
    int fd = mkstemp(opened->path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(sqlite3_open(opened->path, &opened->db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(opened->db, schema, NULL, NULL, NULL), SQLITE_OK);
    assert_true(database_open(&opened->database, opened->path, "2025-06-30"));
}

static void close_tables(struct opened *opened)
{
    database_close(&opened->database);
    sqlite3_close(opened->db);
    unlink(opened->path);
}

static void check(const struct opened *opened, const char *question, const char *sql)
{
    struct arena arena;
    struct offline_answer *answer;
    arena_init(&arena, 8 << 20);
    assert_int_equal(
        offline_question_read(&opened->database.source, str_of(question), &arena, &answer), ERR_OK);
    if (sql != NULL) {
        EXPECT_STR(question, str_of(answer->cannot), STR(""));
        same_rows_expect(opened->db, question, str_of(sql), answer->sql);
    } else {
        EXPECT_TRUE(question, !answer->understood && answer->cannot[0] != '\0');
    }
    arena_fini(&arena);
}

TEST(a_flag_is_a_condition)
{
    struct opened opened;
    for (size_t i = 0; i < countof(cases); i++) {
        if (i == 0 || cases[i].schema != cases[i - 1].schema ||
            cases[i].file != cases[i - 1].file)
            open_tables(&opened, cases[i].schema, cases[i].file);
        check(&opened, cases[i].question, cases[i].sql);
        if (i + 1 == countof(cases) || cases[i + 1].schema != cases[i].schema ||
            cases[i + 1].file != cases[i].file)
            close_tables(&opened);
    }
}

RUN_TESTS(T(a_flag_is_a_condition))
