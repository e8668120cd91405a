/* SPDX-License-Identifier: MIT */
/* server/records/share_note.h - how the notes of a conversation are named that let in whoever has a
 * link to it: this and the link's secret. They are of that one conversation, not of its copies. */
#ifndef SERVER_RECORDS_SHARE_NOTE_H
#define SERVER_RECORDS_SHARE_NOTE_H

#define SHARE_NOTE "share"

#endif
