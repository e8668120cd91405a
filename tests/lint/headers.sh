#!/bin/sh
# headers.sh ROOT - each header compiles alone.
set -eu
cd "$1"

bad=0
for header in $(find core proto backends agents server -name '*.h'); do
    cc -std=c17 -D_GNU_SOURCE -I. -Wall -Wextra -Werror -fsyntax-only -x c "$header" || bad=1
done
exit $bad
