/* SPDX-License-Identifier: MIT */
/* samples/dump.h - a SQLite database as an SQL script for PostgreSQL or MySQL: tables, rows, keys,
 * and views that are columns of one table. */
#ifndef SAMPLES_DUMP_H
#define SAMPLES_DUMP_H

#include <stdbool.h>

/* Write the script to standard output. dialect: "postgres" or "mysql". False: said on standard
 * error why. */
bool dump_write(const char *path, const char *dialect);

#endif
