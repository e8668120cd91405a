#!/bin/sh
# symbols.sh ROOT BUILD - every global function or table of folder/module.c starts with "module_"
# (agents' sub-folders: folder and module), and no module has a mutable global.
set -eu
cd "$2"

bad=0
for object in $(find core proto backends agents server -name '*.c.o' 2>/dev/null); do
    path=$(echo "$object" | sed 's#CMakeFiles/[a-z_]*\.dir/##; s#\.c\.o$##')
    module=$(basename "$path")
    folder=$(basename "$(dirname "$path")")
    case $path in
    server/main) continue ;;
    esac
    nm --defined-only "$object" | awk -v path="$path" -v module="$module" -v folder="$folder" '
        $2 ~ /^[TRVW]$/ && $3 !~ /^(__|\.|_GLOBAL|DW\.|asan\.)/ {
            name = $3; known = 0
            # a module split over files shares the prefix of its first word: http_client_pool
            count = split(module, word, "_"); prefix = ""
            for (i = 1; i <= count; i++) {
                prefix = prefix word[i] "_"
                if (index(name, prefix) == 1 || index(name, folder "_" prefix) == 1) known = 1
            }
            if (index(name, folder "_") == 1) known = 1
            if (!known) { print path ": " name " lacks the prefix " module "_"; bad = 1 }
        }
        $2 ~ /^[BDbd]$/ && $3 !~ /^(__|\.|_GLOBAL|asan\.|odr_asan|DW\.)/ && path !~ /core\/base\/mem$/ {
            print path ": mutable global " $3; bad = 1
        }
        END { exit bad }' || bad=1
done
exit $bad
