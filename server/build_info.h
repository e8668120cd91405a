/* SPDX-License-Identifier: MIT */
/* server/build_info.h - what was built; build_info.c is written by cmake/build_info.cmake. */
#ifndef SERVER_BUILD_INFO_H
#define SERVER_BUILD_INFO_H

/* The commit that was checked out when this was built; "unknown" outside a repository. */
const char *build_info_commit(void);

#endif
