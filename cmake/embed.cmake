# embed.cmake - cmake -DNAME=n -DHEADER=n.h -DOUT=n.c "-DFILES=a;b" -P embed.cmake: the bytes of the files, one
# behind the other, as the constant struct str NAME, which HEADER declares.
set(bytes "")
foreach(file ${FILES})
    file(READ ${file} hex HEX)
    string(APPEND bytes ${hex})
endforeach()
string(REGEX REPLACE "(..)" "0x\\1," bytes ${bytes})
string(REGEX REPLACE "((0x..,){16})" "\\1\n" bytes ${bytes})
file(WRITE ${OUT} "/* SPDX-License-Identifier: MIT */
/* Made by cmake/embed.cmake. */
#include \"${HEADER}\"

static const char bytes[] = {
${bytes}};

const struct str ${NAME} = {bytes, sizeof bytes};
")
