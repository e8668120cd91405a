#!/bin/sh
# symbols.sh ROOT BUILD - every global function or table of folder/module.c starts with "module_" or
# with the name of a folder that it is in, and no module has a mutable global.
set -eu
cd "$2"

bad=0
for object in $(find CMakeFiles -path '*/room_*' -name '*.c.o'); do
    path=$(echo "$object" | sed 's#^CMakeFiles/[a-z_0-9]*\.dir/##; s#\.c\.o$##')
    objdump -t "$object" | awk -v path="$path" '
        BEGIN {
            count = split(path, part, "/")
            module = part[count]
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
            known = 0
            for (i = 1; i < count; i++)
                if (index(name, part[i] "_") == 1) known = 1
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
