/* SPDX-License-Identifier: MIT */
/* server/wiring/document_worker.h - the whole life of a child process that reads one file for
 * backends/extract. */
#ifndef SERVER_WIRING_DOCUMENT_WORKER_H
#define SERVER_WIRING_DOCUMENT_WORKER_H

#define DOCUMENT_WORKER "document-worker" /* the command that starts it; for ourselves alone */

/* Gives the process's rights away, reads standard input as a file of the format ("pdf"), and writes
 * HTML to standard output; or why not, and ends with 1. Does not return. */
void document_worker(const char *format);

#endif
