/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_error.c - a table from error numbers to err codes.
 *
 * Happy path: there is none; everything here failed already. A number that is not in the table is
 * the statement's own fault (syntax, names, types, rights: several hundred numbers), and its text
 * is for whoever wrote the statement.
 * The client library's numbers are 2000 to 2999 and 5000 on; below 1000 are the server's own file
 * errors. */
#include "backends/sql/mysql_error.h"

enum { CLIENT_FIRST = 2000, CLIENT_LAST = 2999, CLIENT_MORE = 5000, CLIENT_MORE_LAST = 5999 };
enum { FIRST_SERVER = 1000 };
enum {
    INTERRUPTED = 1317,
    LIMIT_MYSQL = 3024,
    LIMIT_MARIADB = 1969,
    READ_ONLY = 1792,
    STACK_OVERRUN = 1436
};
enum { CLIENT_NO_MEMORY = 2008, CLIENT_PACKET = 2020, CLIENT_TLS = 2026, CLIENT_PLUGIN = 2059 };
enum { LOCK_WAIT = 1205, DEADLOCK = 1213, NO_RIGHT_TO_DATABASE = 1044, NO_SUCH_DATABASE = 1049 };

/* What a server says that is going, full or ill: not the statement's fault. */
static const struct {
    unsigned number;
    const char *text;
} unwell[] = {
    {1004, "cannot write a file"},
    {1005, "cannot create a table"},
    {1006, "cannot create a database"},
    {1015, "cannot lock a file"},
    {1016, "cannot open a table"},
    {1017, "misses a file"},
    {1020, "saw a row change"},
    {1021, "has no disk space"},
    {1024, "cannot read a file"},
    {1026, "cannot write a file"},
    {1030, "has an ill storage engine"},
    {1032, "lost a row"},
    {1033, "has a damaged table file"},
    {1034, "has a damaged index file"},
    {1037, "has no memory"},
    {1038, "has no memory to sort"},
    {1040, "has too many connections"},
    {1041, "has no memory"},
    {1053, "is shutting down"},
    {1077, "is shutting down"},
    {1079, "is shutting down"},
    {1105, "had an unknown error"},
    {1114, "has a full table"},
    {1129, "blocks this host after errors"},
    {1130, "does not allow this host"},
    {1135, "cannot start a thread"},
    {1152, "dropped the connection"},
    {1158, "could not read the connection"},
    {1159, "waited too long for us"},
    {1160, "could not write the connection"},
    {1161, "waited too long for us"},
    {1184, "dropped the connection"},
    {1194, "has a crashed table"},
    {1195, "has a crashed table"},
    {1203, "has too many connections of this user"},
    {1226, "has spent a limit of this user"},
    {1290, "runs with an option that forbids it"},
    {1815, "had an internal error"},
    {1927, "ended the connection"},
    {4031, "closed an idle connection"},
};

/* When connecting these say who may not, and 1045 alone that it is user or password: no right, ways
 * of logging in that are not for us, a password that must be changed first, a locked account. */
static const unsigned refusals[] = {1045, 1227, 1251, 1275, 1396, 1524, 1698,         1820,
                                    1862, 1873, 3118, 3159, 3955, 4151, CLIENT_PLUGIN};

static const char *find_unwell(unsigned number)
{
    for (size_t i = 0; i < countof(unwell); i++)
        if (unwell[i].number == number)
            return unwell[i].text;
    return number < FIRST_SERVER ? "could not use a file of its own" : NULL;
}

static bool is_clients(unsigned number)
{
    return (number >= CLIENT_FIRST && number <= CLIENT_LAST) ||
           (number >= CLIENT_MORE && number <= CLIENT_MORE_LAST);
}

bool mysql_error_is_loss(unsigned number)
{
    static const unsigned going[] = {1053, 1077, 1079, 1152, 1158, 1159,
                                     1160, 1161, 1184, 1927, 4031};
    for (size_t i = 0; i < countof(going); i++)
        if (going[i] == number)
            return true;
    return is_clients(number);
}

enum err_code mysql_error_of_query(struct err *err, unsigned number, struct str text)
{
    const char *ill = find_unwell(number);
    switch (number) {
    case INTERRUPTED:
        return err_set(err, ERR_CANCELLED, "the statement was ended at the database");
    case LIMIT_MYSQL:
    case LIMIT_MARIADB:
        return err_set(err, ERR_TIMEOUT, "the statement ran longer than it may");
    case LOCK_WAIT:
        return err_set(err, ERR_TIMEOUT, "the statement waited too long for a lock");
    case DEADLOCK:
        return err_set(err, ERR_UNAVAILABLE, "the database ended the statement for a deadlock");
    case STACK_OVERRUN:
        return err_set(err, ERR_REJECTED, "the statement is nested deeper than the database reads");
    case READ_ONLY:
        return err_set(err, ERR_REJECTED, "the statement does not only read");
    case CLIENT_NO_MEMORY:
        return err_set(err, ERR_NO_MEMORY, "no memory for the database connection");
    case CLIENT_PACKET:
        return err_set(err, ERR_TOO_LARGE, "one row is larger than the client may receive");
    default:
        break;
    }
    if (is_clients(number))
        return err_set(err, ERR_UNAVAILABLE, "the connection to the database was lost (%u)",
                       number);
    if (ill != NULL)
        return err_set(err, ERR_UNAVAILABLE, "the database %s (error %u)", ill, number);
    return err_set(err, ERR_REJECTED, "%.*s", STR_ARG(text));
}

enum err_code mysql_error_of_login(struct err *err, unsigned number, struct str text,
                                   const char *place, const char *user)
{
    const char *ill = find_unwell(number);
    for (size_t i = 0; i < countof(refusals); i++)
        if (refusals[i] == number)
            return err_set(err, ERR_DENIED,
                           "the database at %s refuses the login of '%s' (error %u): check the "
                           "user and the password in the database url, or DB_USER and DB_PWD",
                           place, user, number);
    if (number == NO_SUCH_DATABASE || number == NO_RIGHT_TO_DATABASE)
        return err_set(err, ERR_DENIED,
                       "the database at %s has none of the name asked for that '%s' may use (error "
                       "%u): check the name in the database url, or DB_NAME",
                       place, user, number);
    if (number == CLIENT_TLS)
        return err_set(err, ERR_UNAVAILABLE, "no TLS with the database at %s: %.*s", place,
                       STR_ARG(str_utf8_prefix(text, 200)));
    if (ill != NULL)
        return err_set(err, ERR_UNAVAILABLE, "the database at %s %s (error %u)", place, ill,
                       number);
    return err_set(err, ERR_UNAVAILABLE, "the database at %s cannot be reached (error %u)", place,
                   number);
}
