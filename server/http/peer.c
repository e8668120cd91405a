/* SPDX-License-Identifier: MIT */
/* server/http/peer.c - IPv4, IPv6, and IPv4 inside IPv6.
 *
 * Failure: a socket without a peer is nobody's, and not on this machine. */
#include "server/http/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

void peer_read(int fd, struct peer *peer)
{
    struct sockaddr_storage address = {0};
    socklen_t len = sizeof address;
    *peer = (struct peer){.text = "?"};
    if (getpeername(fd, (struct sockaddr *)&address, &len) != 0)
        return;
    if (address.ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)&address;
        (void)inet_ntop(AF_INET, &in->sin_addr, peer->text, sizeof peer->text); /* it fits */
        peer->is_loopback = ntohl(in->sin_addr.s_addr) >> 24 == 127;
    } else if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)&address;
        (void)inet_ntop(AF_INET6, &in6->sin6_addr, peer->text, sizeof peer->text);
        peer->is_loopback =
            IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr) ||
            (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr) && in6->sin6_addr.s6_addr[12] == 127);
    }
}
