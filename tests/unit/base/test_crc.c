/* SPDX-License-Identifier: MIT */
/* The values of RFC 3720, appendix B.4, and the check value of the polynomial's catalogue. */
#include "tests/lib/test.h"

#include "core/base/crc.h"

TEST(known_values)
{
    char zeros[32] = {0}, ones[32], rising[32];
    memset(ones, 0xff, sizeof ones);
    for (size_t i = 0; i < sizeof rising; i++)
        rising[i] = (char)i;
    EXPECT_INT("empty", crc_32c(STR("")), 0);
    EXPECT_INT("check", crc_32c(STR("123456789")), 0xe3069283);
    EXPECT_INT("zeros", crc_32c(str_make(zeros, sizeof zeros)), 0x8a9136aa);
    EXPECT_INT("ones", crc_32c(str_make(ones, sizeof ones)), 0x62a8ab43);
    EXPECT_INT("rising", crc_32c(str_make(rising, sizeof rising)), 0x46dd794e);
}

/* By the polynomial, a bit at a time. */
static uint32_t by_bits(struct str bytes)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < bytes.len; i++) {
        crc ^= (unsigned char)bytes.at[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    return ~crc;
}

TEST(any_length_at_any_place)
{
    char text[96];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 167 + 13);
    for (size_t from = 0; from < 16; from++)
        for (size_t len = 0; from + len <= sizeof text; len++)
            EXPECT_INT("as by bits", crc_32c(str_make(text + from, len)),
                       by_bits(str_make(text + from, len)));
}

RUN_TESTS(T(known_values), T(any_length_at_any_place))
