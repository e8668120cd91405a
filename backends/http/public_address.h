/* SPDX-License-Identifier: MIT */
/* backends/http/public_address.h - whether an address is one of the public internet: not of this
 * machine, of a private network, of a link, nor one that leads to such an address.
 *
 * By the registries of special-purpose addresses (RFC 6890 and its updates). Pure; any thread. */
#ifndef BACKENDS_HTTP_PUBLIC_ADDRESS_H
#define BACKENDS_HTTP_PUBLIC_ADDRESS_H

#include "core/base/defs.h"

/* Of a socket's address (struct sockaddr *). False for what is neither IPv4 nor IPv6. */
bool public_address_is(const void *sockaddr);
/* Of an address in numbers, "192.0.2.1" or "2001:db8::1". False for any other text. */
bool public_address_is_text(const char *text);

#endif
