/* SPDX-License-Identifier: MIT */
/* server/process/notify.h - tells the service manager what the process does (systemd, Type=notify).
 *
 * The protocol is one datagram a message to the socket that NOTIFY_SOCKET names: sd_notify(3). */
#ifndef SERVER_PROCESS_NOTIFY_H
#define SERVER_PROCESS_NOTIFY_H

#include "core/base/defs.h"

/* Send state, such as "READY=1" or "STOPPING=1". Without NOTIFY_SOCKET, or when nothing listens
 * there, nothing happens; never blocks. */
void notify_send(const char *state);
/* Send "RELOADING=1", with the time that systemd 253 asks for. */
void notify_reloading(void);

#endif
