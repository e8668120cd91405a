/* SPDX-License-Identifier: MIT */
/* agents/tools/run_sql.h - the sequence of the tool run_sql, for tools that have a statement of
 * their own. Loop thread only. */
#ifndef AGENTS_TOOLS_RUN_SQL_H
#define AGENTS_TOOLS_RUN_SQL_H

#include "agents/tools/call.h"

/* Run sql for call as run_sql does; the frame of call has tools_run_sql_frame_bytes, zeroed, and
 * sql lives as long as the run. Absent: no memory. */
void tools_run_sql_start(struct tool_call *call, struct str sql);
size_t tools_run_sql_frame_bytes(void);

#endif
