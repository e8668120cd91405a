/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/company_name.h - whether a column's name says that it holds the key of a
 * company that shares the database with others. A guess for databases that nobody described. Pure.
 */
#ifndef AGENTS_SQL_CATALOG_COMPANY_NAME_H
#define AGENTS_SQL_CATALOG_COMPANY_NAME_H

#include "core/base/str.h"

enum company_name {
    COMPANY_NAME_NOT,
    COMPANY_NAME_KEY,
    COMPANY_NAME_ACCOUNT, /* only where accounts are the deployment's own customers */
};

enum company_name company_name_of(struct str column);

#endif
