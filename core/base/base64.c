/* SPDX-License-Identifier: MIT */
/* core/base/base64.c - six bits a character.
 *
 * Happy path: digits gather until a byte is whole. Failure paths: a character of neither alphabet,
 * or a length that no bytes have. */
#include "core/base/base64.h"

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (str_is_digit(c))
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

bool base64_decode(struct str text, void *to, size_t *len)
{
    unsigned char *out = to;
    unsigned bits = 0, held = 0;
    *len = 0;
    while (text.len > 0 && text.at[text.len - 1] == '=')
        text.len--;
    for (size_t i = 0; i < text.len; i++) {
        int digit = digit_of(text.at[i]);
        if (digit < 0)
            return false;
        held = (held << 6 | (unsigned)digit) & 0xffffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[(*len)++] = (unsigned char)(held >> bits & 0xff);
        }
    }
    return text.len % 4 != 1;
}

size_t base64_encode(struct str bytes, char *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = (const unsigned char *)bytes.at;
    size_t len = 0;
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        unsigned held = (unsigned)at[i] << 16 | (left > 1 ? (unsigned)at[i + 1] << 8 : 0) |
                        (left > 2 ? at[i + 2] : 0U);
        to[len++] = digits[held >> 18];
        to[len++] = digits[held >> 12 & 63];
        to[len++] = left > 1 ? digits[held >> 6 & 63] : '=';
        to[len++] = left > 2 ? digits[held & 63] : '=';
    }
    return len;
}
