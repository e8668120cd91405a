/* SPDX-License-Identifier: MIT */
/* server/schedules/webhook_url.c - strict, as for tools (remote_url). Failure: told in words. */
#include "server/schedules/webhook_url.h"

#include "backends/remote/remote_url.h"

enum err_code webhook_url_check(const struct config *config, struct str url, struct err *err)
{
    struct remote_url wanted, allowed;
    struct err ignored;
    struct str rest = str_of(config->webhooks);
    if (url.len == 0 || url.len > WEBHOOK_URL_BYTES)
        return err_set(err, ERR_INVALID, "expected an address of 1 to %d bytes, got %zu",
                       WEBHOOK_URL_BYTES, url.len);
    if (remote_url_parse(url, &wanted, err) != ERR_OK)
        return err->code;
    if (str_trim(rest).len == 0)
        return err_set(err, ERR_DENIED, "webhooks are off here: ASKD_WEBHOOKS names no address");
    while (rest.len > 0) {
        struct str one = str_trim(str_split(&rest, ','));
        if (one.len > 0 && remote_url_parse(one, &allowed, &ignored) == ERR_OK &&
            remote_url_is_below(&wanted, &allowed))
            return ERR_OK;
    }
    return err_set(err, ERR_DENIED, "ASKD_WEBHOOKS does not allow this address");
}
