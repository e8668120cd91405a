#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/docker/packages.sh SOURCE BUILD - RUN_PACKAGES, which an image gets, hold the libraries that
# askd is linked with, and no others; certificates and programs that it starts aside.
set -eu
source=$1 build=$2
command -v dpkg-query >/dev/null || exit 77
. "$source/scripts/packages.sh"

# Named by the program itself, and neither the C library nor a sanitizer.
needed=$(readelf -d "$build/askd" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -Ev '^(libc|libm|libpthread|libasan|libubsan|libtsan|ld-linux.*)\.so')
wanted=$(for library in $needed; do
    path=$(ldd "$build/askd" | awk -v name="$library" '$1 == name { print $3 }')
    dpkg-query -S "$(readlink -f "$path")" 2>/dev/null || dpkg-query -S "*/${path##*/}"
done | sed 's/:.*//' | sort -u)
listed=$(for package in $RUN_PACKAGES; do echo "$package"; done |
    grep -Ev '^(ca-certificates|poppler-utils)$' | sort -u)
[ "$wanted" = "$listed" ] || {
    echo "scripts/packages.sh: RUN_PACKAGES is" $listed "but askd needs" $wanted >&2
    exit 1
}
