/* SPDX-License-Identifier: MIT */
/* samples/make_samples.c - writes the sample database: make_samples PATH.
 *
 * Deterministic: the same program writes the same rows, for two companies (acme and globex) up to
 * the day 2025-06-30. A file that is there in the right version is left alone; a new one is written
 * beside it and renamed, so that nobody ever sees half a database.
 * Failure: SQLite's message on stderr, exit 1, no file left behind. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "samples/dump.h"
#include "samples/schema.h"

#define countof(array)   (sizeof(array) / sizeof((array)[0]))
#define PICK(rng, array) ((array)[below(rng, countof(array))])

enum { DAYS = 730 /* of history */, LAST_DAY = 20269 /* 2025-06-30, in days since 1970 */ };

static const char *const first_names[] = {
    "Alice", "Ben",  "Carla", "Dmitri", "Elena", "Farid", "Grace", "Hugo", "Ines",  "Jonas",
    "Kira",  "Liam", "Mina",  "Noah",   "Olga",  "Pablo", "Quinn", "Rosa", "Samir", "Tara",
    "Umar",  "Vera", "Wanda", "Xavier", "Yuki",  "Zoe",   "Bruno", "Dana", "Erik",  "Fiona"};
static const char *const last_names[] = {"Johnson", "Smith", "Garcia",  "Novak",  "Okafor",
                                         "Larsen",  "Rossi", "Schmidt", "Tanaka", "Brown",
                                         "Dubois",  "Kaya",  "Moreau",  "Patel",  "Silva",
                                         "Weber",   "Young", "Zhang",   "Costa",  "Fischer"};
static const char *const cities[][3] = {{"Denver", "CO", "80202"},  {"Austin", "TX", "78701"},
                                        {"Boston", "MA", "02108"},  {"Seattle", "WA", "98101"},
                                        {"Phoenix", "AZ", "85001"}, {"Boulder", "CO", "80301"}};
static const char *const streets[] = {"Main St", "Oak Ave", "Mill Rd", "Lake Dr", "Hill St"};
static const char *const businesses[] = {"Bakery",    "Clinic", "Hotel",   "School", "Brewery",
                                         "Warehouse", "Garage", "Library", "Market", "Studio"};
static const char *const titles[] = {
    "Boiler repair", "Roof inspection", "Pump replacement",        "Filter change",
    "Leak search",   "Wiring check",    "Air conditioner tune-up", "Valve repair"};
static const char *const priorities[] = {"low", "medium", "medium", "high", "urgent"};
static const char *const questions[][2] = {{"Is the work area clean?", "safety"},
                                           {"Are guards in place?", "safety"},
                                           {"Is the exit free?", "safety"},
                                           {"Are seals tight?", "quality"},
                                           {"Is the pressure in range?", "quality"},
                                           {"Are labels readable?", "documentation"},
                                           {"Is the logbook up to date?", "documentation"},
                                           {"Is the noise acceptable?", "quality"}};

struct maker {
    sqlite3 *db;
    uint64_t rng; /* never 0 */
    bool failed;
};

/* xorshift64*: small, and the same everywhere. */
static uint64_t next_random(uint64_t *rng)
{
    *rng ^= *rng >> 12;
    *rng ^= *rng << 25;
    *rng ^= *rng >> 27;
    return *rng * UINT64_C(2685821657736338717);
}

static unsigned below(uint64_t *rng, size_t limit)
{
    return (unsigned)(next_random(rng) >> 33) % (unsigned)limit;
}

struct text {
    char at[32];
};

/* A day of the common calendar from days since 1970 (Howard Hinnant's civil_from_days). */
static struct text date_of(int days, int minutes)
{
    struct text text;
    int z = days + 719468, era = z / 146097, doe = z - era * 146097;
    int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    int day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    int year = yoe + era * 400 + (month <= 2);
    if (minutes < 0)
        snprintf(text.at, sizeof text.at, "%04d-%02d-%02d", year, month, day);
    else
        snprintf(text.at, sizeof text.at, "%04d-%02d-%02d %02d:%02d:00", year, month, day,
                 minutes / 60 % 24, minutes % 60);
    return text;
}

static void run(struct maker *maker, const char *sql)
{
    if (!maker->failed && sqlite3_exec(maker->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "make_samples: %s\n", sqlite3_errmsg(maker->db));
        maker->failed = true;
    }
}

/* INSERT one row; fmt is SQLite's (%Q quotes), the values of one parenthesis. */
static void insert(struct maker *maker, const char *table, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *values = sqlite3_vmprintf(fmt, args);
    va_end(args);
    char *sql =
        values == NULL ? NULL : sqlite3_mprintf("INSERT INTO \"%w\" VALUES(%s)", table, values);
    if (sql == NULL)
        maker->failed = true;
    else
        run(maker, sql);
    sqlite3_free(sql);
    sqlite3_free(values);
}

static int random_day(struct maker *maker)
{
    return LAST_DAY - (int)below(&maker->rng, DAYS);
}

static int work_minute(struct maker *maker)
{
    return 7 * 60 + 15 * (int)below(&maker->rng, 40);
}

/* ---- banking ---- */

static void make_banking(struct maker *maker)
{
    uint64_t *rng = &maker->rng;
    int account = 0, transaction = 0;
    for (int id = 1; id <= 180; id++) {
        const char *first = PICK(rng, first_names), *last = PICK(rng, last_names);
        int day = random_day(maker);
        insert(maker, "customers", "%d,'%q %q',lower('%q.%q%d@example.com'),%Q", id, first, last,
               first, last, id, date_of(day, work_minute(maker)).at);
        for (unsigned i = 1 + below(rng, 3); i > 0 && id % 12 != 0; i--) { /* every 12th has none */
            account++;
            insert(maker, "accounts", "%d,%d,'AC-%05d',%d.%02d,%Q", account, id, 10000 + account,
                   100 + below(rng, 40000), below(rng, 100), date_of(day, 600).at);
            for (unsigned j = 2 + below(rng, 16); j > 0; j--) {
                int when = day + (int)below(rng, (size_t)(LAST_DAY - day + 1));
                insert(maker, "transactions", "%d,%d,%Q,%d.%02d,%Q", ++transaction, account,
                       below(rng, 5) < 3 ? "debit" : "credit",
                       below(rng, 20) == 0 ? 10000 + below(rng, 9000) : 5 + below(rng, 2500),
                       below(rng, 100), date_of(when, work_minute(maker)).at);
            }
        }
    }
}

/* ---- field service ---- */

/* One company's share. Ids go on across companies; the counts are per company. */
struct company {
    const char *id;
    int technicians, idle_technicians, dispatchers, managers, inspectors, customers, orders;
};

static const struct company companies[] = {
    {"acme", 10, 4, 3, 2, 3, 120, 760}, /* R234: ten active technicians */
    {"globex", 3, 1, 1, 1, 1, 30, 190},
};

struct ids {
    int employee, customer, location, order, time, crew, member, inspection, answer, contact;
    int first_technician, first_dispatcher, first_inspector; /* of the company being made */
};

static void make_employee(struct maker *maker, const struct company *company, struct ids *ids,
                          const char *role, bool active)
{
    uint64_t *rng = &maker->rng;
    int id = ++ids->employee;
    const char *first = first_names[(size_t)(id * 7) % countof(first_names)];
    const char *last = last_names[(size_t)(id * 3) % countof(last_names)];
    insert(maker, "employee",
           "%d,%Q,%Q,%Q,%Q,%d,%Q,%d,lower('%q.%q@%q.example'),'canary-ssn-%q-%03d'", id,
           company->id, first, last, role, active,
           date_of(LAST_DAY - 800 - (int)below(rng, 2000), -1).at, 22 + below(rng, 30), first, last,
           company->id, company->id, id);
    insert(maker, "user", "%d,%Q,lower('%q%d'),%Q,%d,%Q,'canary-hash-%q-%03d'", id, company->id,
           first, id, strcmp(role, "manager") == 0 ? "admin" : "member", id,
           date_of(LAST_DAY - (int)below(rng, 30), 500).at, company->id, id);
}

static void make_staff(struct maker *maker, const struct company *company, struct ids *ids)
{
    ids->first_technician = ids->employee + 1;
    for (int i = 0; i < company->technicians; i++)
        make_employee(maker, company, ids, "technician", true);
    for (int i = 0; i < company->idle_technicians; i++)
        make_employee(maker, company, ids, "technician", false);
    ids->first_dispatcher = ids->employee + 1;
    for (int i = 0; i < company->dispatchers; i++)
        make_employee(maker, company, ids, "dispatcher", true);
    ids->first_inspector = ids->employee + 1;
    for (int i = 0; i < company->inspectors; i++)
        make_employee(maker, company, ids, "inspector", true);
    for (int i = 0; i < company->managers; i++)
        make_employee(maker, company, ids, "manager", true);
}

static void make_customers(struct maker *maker, const struct company *company, struct ids *ids)
{
    uint64_t *rng = &maker->rng;
    for (int i = 0; i < company->customers; i++) {
        int id = ++ids->customer;
        bool person = below(rng, 3) == 0;
        const char *last = PICK(rng, last_names), *contact = PICK(rng, first_names);
        if (i == 0) /* a name that only this company may ever see */
            insert(maker, "customer", "%d,%Q,'Canary %q',%Q,1,%Q", id, company->id, company->id,
                   "business", date_of(random_day(maker), 540).at);
        else
            insert(maker, "customer", "%d,%Q,'%q %q',%Q,%d,%Q", id, company->id, last,
                   person ? contact : PICK(rng, businesses), person ? "residential" : "business",
                   below(rng, 8) != 0, date_of(random_day(maker), 540).at);
        for (unsigned j = 1 + (below(rng, 4) == 0); j > 0; j--) {
            unsigned city = below(rng, countof(cities));
            insert(maker, "customerLocation", "%d,%Q,%d,'%d %q',%Q,%Q,%Q", ++ids->location,
                   company->id, id, 1 + below(rng, 900), PICK(rng, streets), cities[city][0],
                   cities[city][1], cities[city][2]);
        }
        ids->contact++;
        insert(maker, "customerContact", "%d,%Q,%d,'%q %q','555-%04d',lower('%q%d@example.org'),1",
               ids->contact, company->id, id, contact, last, below(rng, 10000), contact,
               ids->contact);
    }
}

static void make_times(struct maker *maker, const struct company *company, struct ids *ids,
                       int order, int day)
{
    uint64_t *rng = &maker->rng;
    static const char *const types[] = {"regular", "regular", "regular", "overtime", "travel"};
    for (unsigned i = 1 + below(rng, 3); i > 0; i--) {
        int quarter_hours = 4 + (int)below(rng, 24), minute = work_minute(maker);
        int who = ids->first_technician + (int)below(rng, (size_t)company->technicians);
        insert(maker, "workTime", "%d,%Q,%d,%d,%Q,%Q,%d.%02d,%Q", ++ids->time, company->id, who,
               order, date_of(day, minute).at, date_of(day, minute + 15 * quarter_hours).at,
               quarter_hours / 4, quarter_hours % 4 * 25, PICK(rng, types));
    }
}

static void make_crew(struct maker *maker, const struct company *company, struct ids *ids,
                      int order, int day)
{
    uint64_t *rng = &maker->rng;
    int crew = ++ids->crew, first = (int)below(rng, (size_t)company->technicians);
    insert(maker, "crew", "%d,%Q,%d,%d,'Crew %d',%Q", crew, company->id, order,
           ids->first_dispatcher + (int)below(rng, (size_t)company->dispatchers), crew,
           date_of(day, 480).at);
    for (int i = 0; i < 2 + (int)below(rng, 2) && i < company->technicians; i++)
        insert(maker, "employeeCrew", "%d,%Q,%d,%d,%d,%Q", ++ids->member, company->id, crew,
               ids->first_technician + (first + i) % company->technicians, i == 0,
               date_of(day, 480).at);
}

static void make_inspection(struct maker *maker, const struct company *company, struct ids *ids,
                            int order, int day)
{
    uint64_t *rng = &maker->rng;
    int inspection = ++ids->inspection, score = 55 + (int)below(rng, 46);
    insert(maker, "inspections", "%d,%Q,%d,%d,%Q,%Q,%d", inspection, company->id, order,
           ids->first_inspector + (int)below(rng, (size_t)company->inspectors), date_of(day, -1).at,
           score >= 70 ? "passed" : "failed", score);
    for (size_t i = 0; i < countof(questions); i += 1 + below(rng, 3)) {
        bool deficient = (int)below(rng, 100) > score;
        insert(maker, "inspectionAnswer", "%d,%Q,%d,%d,%Q,%d", ++ids->answer, company->id,
               inspection, (int)i + 1, deficient ? "no" : "yes", deficient);
    }
}

static void make_order(struct maker *maker, const struct company *company, struct ids *ids,
                       int first_customer, int first_location)
{
    uint64_t *rng = &maker->rng;
    int id = ++ids->order, created = random_day(maker), planned = created + 1 + (int)below(rng, 14);
    static const char *const open_states[] = {"open", "scheduled", "in progress", "on hold"};
    bool done = planned + 3 < LAST_DAY && below(rng, 12) != 0;
    const char *status = done                 ? "completed"
                         : below(rng, 6) == 0 ? "cancelled"
                                              : PICK(rng, open_states);
    int location = first_location + (int)below(rng, (size_t)(ids->location - first_location + 1));
    char done_at[32] = "";
    if (done)
        snprintf(done_at, sizeof done_at, "%s", date_of(planned, 17 * 60).at);
    insert(maker, "workOrder",
           "%d,%Q,'WO-%d',%d,(SELECT COALESCE((SELECT id FROM customerLocation WHERE id=%d),%d)),"
           "%Q,%Q,%Q,%d,%Q,%Q,NULLIF(%Q,''),%d",
           id, company->id, 1000 + id, first_customer + (int)below(rng, (size_t)company->customers),
           location, first_location, PICK(rng, titles), status, PICK(rng, priorities),
           1 + below(rng, 16), date_of(created, work_minute(maker)).at, date_of(planned, 8 * 60).at,
           done_at, ids->first_dispatcher + (int)below(rng, (size_t)company->dispatchers));
    if (!done)
        return;
    make_times(maker, company, ids, id, planned);
    if (below(rng, 3) == 0)
        make_crew(maker, company, ids, id, planned);
    if (below(rng, 4) == 0)
        make_inspection(maker, company, ids, id, planned + 2);
}

static void make_field_service(struct maker *maker)
{
    struct ids ids = {0};
    for (size_t i = 0; i < countof(questions); i++)
        insert(maker, "inspectionQuestion", "%d,%Q,%Q,%d", (int)i + 1, questions[i][0],
               questions[i][1], 1 + (int)i % 3);
    for (size_t i = 0; i < countof(companies); i++) {
        int first_customer = ids.customer + 1, first_location = ids.location + 1;
        make_staff(maker, &companies[i], &ids);
        make_customers(maker, &companies[i], &ids);
        for (int order = 0; order < companies[i].orders; order++)
            make_order(maker, &companies[i], &ids, first_customer, first_location);
    }
    /* the order's customer is its location's */
    run(maker, "UPDATE workOrder SET customerId = (SELECT customerId FROM customerLocation l"
               " WHERE l.id = workOrder.customerLocationId)");
}

/* ---- the file ---- */

static int version_of(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    int version = -1;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return version;
}

static bool write_file(const char *path)
{
    struct maker maker = {.rng = UINT64_C(0x5eed5eed5eed)};
    char version[64];
    unlink(path);
    if (sqlite3_open(path, &maker.db) != SQLITE_OK) {
        fprintf(stderr, "make_samples: %s: %s\n", path, sqlite3_errmsg(maker.db));
        sqlite3_close(maker.db);
        return false;
    }
    run(&maker, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
    run(&maker, samples_schema);
    make_banking(&maker);
    make_field_service(&maker);
    snprintf(version, sizeof version, "PRAGMA user_version=%d", SAMPLES_VERSION);
    run(&maker, "COMMIT");
    run(&maker, version);
    run(&maker, "PRAGMA foreign_key_check; ANALYZE");
    sqlite3_close(maker.db);
    if (maker.failed)
        unlink(path);
    return !maker.failed;
}

int main(int argc, char **argv)
{
    char fresh[4096];
    if (argc == 4 && strcmp(argv[1], "--sql") == 0)
        return dump_write(argv[3], argv[2]) ? 0 : 1;
    if (argc != 2) {
        fprintf(stderr, "usage: %s PATH | %s --sql postgres|mysql PATH\n", argv[0], argv[0]);
        return 2;
    }
    if (version_of(argv[1]) == SAMPLES_VERSION)
        return 0;
    int len = snprintf(fresh, sizeof fresh, "%s.new", argv[1]);
    if (len < 0 || (size_t)len >= sizeof fresh || !write_file(fresh))
        return 1;
    if (rename(fresh, argv[1]) != 0) {
        perror("make_samples");
        unlink(fresh);
        return 1;
    }
    return 0;
}
