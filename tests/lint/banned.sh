#!/bin/sh
# banned.sh ROOT - calls and words STYLE rejects, in the product's sources.
set -eu
cd "$1"

bad=0
files=$(find core proto backends agents server -name '*.[ch]')

reject() { # pattern, reason, files that may
    hits=$(grep -nE "$1" $files | grep -vE "${3:-^$}" || true)
    [ -z "$hits" ] || { echo "$hits" | sed "s/\$/   <- $2/"; bad=1; }
}

reject '\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol|atof|alloca|strncpy|strncat)\(' \
    'banned call'
reject '\b(malloc|calloc|realloc|free|strdup)\(' 'memory comes from core/base/mem' \
    '^core/base/mem\.c:'
reject '(^|[^:"])//[^/]*$' 'only /* */ comments' '".*//|https?://|\*'
reject '\b(TODO|FIXME|XXX|HACK)\b' 'unfinished'
reject 'exchange->(client|on_gone|on_drained) = ' 'who waits for a client uses exchange_wait' \
    '^server/http/exchange_wait\.c:'
reject '^typedef (struct|enum|union)[^(]*;' 'no typedef of structs and enums'
for file in $files; do
    head -n 1 "$file" | grep -q 'SPDX-License-Identifier' || { echo "$file: no SPDX line"; bad=1; }
done
exit $bad
