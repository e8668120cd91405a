/* SPDX-License-Identifier: MIT */
/* tests/lint/link_room.c - the main of a program that holds one room whole: it only has to link. */
int main(void)
{
    return 0;
}
