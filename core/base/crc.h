/* SPDX-License-Identifier: MIT */
/* core/base/crc.h - a checksum against bytes that rot or are cut, not against anybody's intent. Any
 * thread. */
#ifndef CORE_BASE_CRC_H
#define CORE_BASE_CRC_H

#include "core/base/str.h"

/* CRC-32C (Castagnoli: reflected polynomial 0x82f63b78, all ones before and after, as in iSCSI). */
uint32_t crc_32c(struct str bytes);

#endif
