/* SPDX-License-Identifier: MIT */
/* server/observe/build_info.h - what was built; build_info.c is written by cmake/build_info.cmake.
 */
#ifndef SERVER_OBSERVE_BUILD_INFO_H
#define SERVER_OBSERVE_BUILD_INFO_H

/* The commit that was checked out when this was built; "unknown" outside a repository. */
const char *build_info_commit(void);

#endif
