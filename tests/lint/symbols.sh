#!/bin/sh
# symbols.sh ROOT BUILD - every global function or table of folder/module.c starts with "module_"
# (in agents' sub-folders also with the folder's name), and no module has a mutable global.
set -eu
cd "$2"

bad=0
for object in $(find core proto backends agents server -name '*.c.o' 2>/dev/null); do
    path=$(echo "$object" | sed 's#CMakeFiles/[a-z_]*\.dir/##; s#\.c\.o$##')
    objdump -t "$object" | awk -v path="$path" '
        BEGIN {
            count = split(path, part, "/")
            module = part[count]; folder = part[count - 1]
        }
        # address flags... section size name: flags may be blank, so count from the end
        NF < 4 || $NF ~ /^(__|\.|_GLOBAL|DW\.|asan\.|_sub_|LLVM)/ { next }
        {
            name = $NF; section = $(NF - 2)
            if (name == ".hidden" || section == "*UND*" || section == "*ABS*") next
        }
        section ~ /^\.(data|bss|tbss|tdata)(\.[^r]|$)/ && section !~ /^\.data\.rel/ {
            if (path !~ /core\/base\/mem$/) { print path ": mutable global " name; bad = 1 }
        }
        $2 == "g" && path != "server/main" {
            known = index(name, folder "_") == 1
            # a module split over files shares the prefix of its first words: http_client_pool
            words = split(module, word, "_"); prefix = ""
            for (i = 1; i <= words; i++) {
                prefix = prefix word[i] "_"
                if (index(name, prefix) == 1) known = 1
            }
            if (!known) { print path ": " name " lacks the prefix " module "_"; bad = 1 }
        }
        END { exit bad }' || bad=1
done
exit $bad
