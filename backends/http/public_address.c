/* SPDX-License-Identifier: MIT */
/* backends/http/public_address.c - tables of prefixes that are not public.
 *
 * Failure: what is not understood is not public. */
#include "backends/http/public_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

struct range4 {
    unsigned char at[4];
    unsigned bits;
};

struct range6 {
    unsigned char at[16];
    unsigned bits;
};

static const struct range4 not_public4[] = {
    {{0, 0, 0, 0}, 8},      {{10, 0, 0, 0}, 8},     {{100, 64, 0, 0}, 10}, {{127, 0, 0, 0}, 8},
    {{169, 254, 0, 0}, 16}, {{172, 16, 0, 0}, 12},  {{192, 0, 0, 0}, 24},  {{192, 0, 2, 0}, 24},
    {{192, 88, 99, 0}, 24}, {{192, 168, 0, 0}, 16}, {{198, 18, 0, 0}, 15}, {{198, 51, 100, 0}, 24},
    {{203, 0, 113, 0}, 24}, {{224, 0, 0, 0}, 4},    {{240, 0, 0, 0}, 4},
};

/* Within 2000::/3, which alone is public. */
static const struct range6 not_public6[] = {
    {{0x20, 0x01, 0x00}, 23},       /* protocols: Teredo, ORCHID, benchmarks */
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
    {{0x20, 0x02}, 16},             /* 6to4: an IPv4 address is inside */
    {{0x3f, 0xff}, 20},             /* documentation */
};

static bool starts_with(const unsigned char *at, const unsigned char *prefix, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;
    if (memcmp(at, prefix, whole) != 0)
        return false;
    return rest == 0 || (at[whole] ^ prefix[whole]) >> (8 - rest) == 0;
}

static bool is_public4(const unsigned char at[4])
{
    for (size_t i = 0; i < countof(not_public4); i++)
        if (starts_with(at, not_public4[i].at, not_public4[i].bits))
            return false;
    return true;
}

static bool is_public6(const unsigned char at[16])
{
    static const unsigned char global[1] = {0x20}, nat64[12] = {0x00, 0x64, 0xff, 0x9b},
                               mapped[12] = {[10] = 0xff, [11] = 0xff};
    if (starts_with(at, mapped, 96) || starts_with(at, nat64, 96))
        return is_public4(at + 12);
    if (!starts_with(at, global, 3))
        return false;
    for (size_t i = 0; i < countof(not_public6); i++)
        if (starts_with(at, not_public6[i].at, not_public6[i].bits))
            return false;
    return true;
}

bool public_address_is(const void *sockaddr)
{
    const struct sockaddr *any = sockaddr;
    unsigned char at[16];
    if (any->sa_family == AF_INET) {
        memcpy(at, &((const struct sockaddr_in *)sockaddr)->sin_addr, 4);
        return is_public4(at);
    }
    if (any->sa_family != AF_INET6)
        return false;
    memcpy(at, &((const struct sockaddr_in6 *)sockaddr)->sin6_addr, 16);
    return is_public6(at);
}

bool public_address_is_text(const char *text)
{
    unsigned char at[16];
    if (text == NULL)
        return false;
    if (inet_pton(AF_INET, text, at) == 1)
        return is_public4(at);
    return inet_pton(AF_INET6, text, at) == 1 && is_public6(at);
}
