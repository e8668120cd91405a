#!/bin/sh
# layers.sh ROOT - checks every #include against the arrows: base <- proto, base <- core, then
# backends, agents, server; and each third-party header against the files that may name it.
set -eu
cd "$1"

awk '
function layer(path) {
    if (path ~ /^core\/base\//) return "base"
    split(path, part, "/")
    return part[1]
}
BEGIN {
    may["base"] = " base "
    may["proto"] = " base proto "
    may["core"] = " base core "
    may["backends"] = " base proto core backends "
    may["agents"] = " base core agents "
    may["server"] = " base proto core backends agents server "
    # agents reach these and no others outside their folders
    split("llm.h embed.h passage.h sql.h sql_reads.h vec.h text.h", names, " ")
    for (i in names) interface["backends/" names[i]] = 1
    third["uv.h"] = "^(core/(loop|work)|backends/(http_client|http_sockets|resolve|sqlite_thread|pg_conn|mysql_conn|redis_conn)|server/(listener|conn|inbox|worker|signals)|server/main)[a-z_]*\\.c$"
    third["llhttp.h"] = "^proto/http_request\\.c$"
    third["curl/curl.h"] = "^backends/http_[a-z_]*\\.[ch]$"
    third["libpq-fe.h"] = "^backends/pg_[a-z_]*\\.[ch]$"
    third["mysql.h"] = "^backends/mysql_[a-z_]*\\.[ch]$"
    third["hiredis/read.h"] = "^backends/redis_conn[a-z_]*\\.c$"
    third["pg_query.h"] = "^agents/sql/parse_pg\\.c$"
    third["md4c.h"] = "^agents/docs/markdown\\.c$"
    third["openssl/sha.h"] = "^(agents/docs/owner|backends/(embed_cache|qdrant_wire|redis_conn|vec_pg_wire))\\.c$"
    third["libxml/HTMLparser.h"] = "^agents/docs/html\\.c$"
    third["sqlite3.h"] = "^(backends/(sqlite_[a-z0-9_]*|sql_sqlite|store_sqlite_tables)|agents/sql/parse_sqlite)\\.c$|^samples/"
}
/^#include/ {
    from = layer(FILENAME)
    if (!(from in may)) next
    if ($2 ~ /^"/) {
        name = substr($2, 2, length($2) - 2)
        to = layer(name)
        if (index(may[from], " " to " ")) next
        if (from == "agents" && (name in interface || name ~ /^proto\/json_/)) next
        print FILENAME ":" FNR ": " from " may not include " name
        bad = 1
    } else {
        name = substr($2, 2, length($2) - 2)
        if (name in third && FILENAME !~ third[name]) {
            print FILENAME ":" FNR ": only " third[name] " may include <" name ">"
            bad = 1
        }
    }
}
END { exit bad }
' $(find core proto backends agents server -name '*.[ch]')
