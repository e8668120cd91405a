#!/bin/sh
# rooms.sh ROOT - checks every #include of the product against the map in cmake/rooms.cmake.
#
# 1. A file may include headers of its own room and of the rooms that its room USES.
# 2. A room is named after the rooms that it uses, so that rooms have no circles.
# 3. Modules have no include circles. A module is a header with its sources: x.h, x.c, x_internal.h,
#    and x_*.c that have no header of their own. Let off: one recursive-descent parser a room.
# 4. A library's header is for the files of one table below.
set -eu
cd "$1"

awk '
function room_of(path) { sub(/\/[^\/]*$/, "", path); return path }

# The module that a file belongs to.
function module_of(path,    stem, parent) {
    stem = path
    sub(/\.[ch]$/, "", stem)
    sub(/_internal$/, "", stem)
    parent = stem
    while (!((parent ".h") in exists)) {
        if (parent !~ /\/[^\/]*_[^\/_]*$/) return stem
        sub(/_[^\/_]*$/, "", parent)
    }
    return parent
}

function complain(text) { print text; bad = 1 }

# Tarjan: strongly connected modules, each printed with its arrows.
function visit(module,    n, i, to, other, members, count) {
    index_of[module] = low[module] = ++visits
    stack[++depth] = module
    on_stack[module] = 1
    n = arrow_count[module]
    for (i = 1; i <= n; i++) {
        to = arrow[module, i]
        if (!(to in index_of)) {
            visit(to)
            if (low[to] < low[module]) low[module] = low[to]
        } else if (on_stack[to] && index_of[to] < low[module]) low[module] = index_of[to]
    }
    if (low[module] != index_of[module]) return
    count = 0
    do {
        other = stack[depth--]
        on_stack[other] = 0
        circle[other] = module
        members[++count] = other
    } while (other != module)
    if (count == 1) return
    for (i = 1; i <= count; i++)
        if (!(room_of(members[i]) in parser) || room_of(members[i]) != room_of(module)) break
    if (i > count) return
    complain("a circle of " count " modules:")
    for (i = 1; i <= count; i++)
        for (n = 1; n <= arrow_count[members[i]]; n++)
            if (circle[arrow[members[i], n]] == module)
                print "    " why[members[i], arrow[members[i], n]]
}

BEGIN {
    parser["agents/sql/grammar"] = 1 # SQL: expressions hold queries, queries expressions
    for (i = 1; i < ARGC; i++) exists[ARGV[i]] = 1
    # a header -> the files that may name it
    third["uv.h"] = "^(core/loop/(loop|work|inbox)|backends/(http/(http_client|http_direct|resolve)|sqlite/sqlite_thread|extract/extract|sql/((pg|mysql)_conn|child/sqlite_(child|worker))|redis/redis_conn)|server/(http/(listener|conn)|process/(worker|signals|inbox)))[a-z_]*\\.c$"
    third["nghttp2/nghttp2.h"] = "^server/http/http2_session_internal\\.h$"
    third["llhttp.h"] = "^proto/http_request\\.c$"
    third["curl/curl.h"] = "^backends/http/[a-z_]*\\.[ch]$"
    third["libpq-fe.h"] = "^backends/sql/pg_[a-z_]*\\.[ch]$"
    third["mysql.h"] = "^backends/sql/mysql_[a-z_]*\\.[ch]$"
    third["hiredis/read.h"] = "^backends/redis/[a-z_]*\\.c$"
    third["pg_query.h"] = "^agents/sql/postgres/parse_pg\\.c$"
    third["md4c.h"] = "^agents/docs/markdown\\.c$"
    third["openssl/sha.h"] = "^(agents/docs/owner|backends/(models/embed_cache|vectors/qdrant_wire|redis/redis_conn[a-z_]*|vectors/vec_pg_wire))\\.c$"
    third["libxml/HTMLparser.h"] = "^agents/docs/html\\.c$"
    third["sqlite3.h"] = "^(backends/[a-z/]*/(sqlite_[a-z0-9_]*|sql_sqlite|store_sqlite[a-z_]*)|agents/sql/parse/parse_sqlite)\\.c$"
}

# The map: calls of askd_room over any number of lines.
FILENAME == "cmake/rooms.cmake" {
    sub(/#.*/, "")
    if (match($0, /askd_(room|graph_rooms)\([a-z_\/]*/)) {
        room = substr($0, RSTART, RLENGTH)
        sub(/.*\(/, "", room)
        if (room == "") room = "agents/*"
        known[room] = 1
        word = ""
    }
    gsub(/\(/, " ")
    gsub(/\)/, " ) ")
    count = split($0, part, " ")
    for (i = 1; i <= count; i++) {
        if (part[i] == ")") word = ""
        if (part[i] ~ /^(USES|LIBS|SOURCES|SOURCES_BUT)$/) { word = part[i]; continue }
        if (word != "USES" || part[i] !~ /^[a-z_\/]+$/) continue
        if (!(part[i] in known)) complain("rooms.cmake: " room " uses " part[i] ", which is not named before it")
        may[room, part[i]] = 1
    }
    next
}

/^#include/ && FILENAME != "server/main.c" { # the program may name every room
    from = own = room_of(FILENAME)
    name = substr($2, 2, length($2) - 2)
    if ($2 !~ /^"/) {
        if (name in third && FILENAME !~ third[name])
            complain(FILENAME ":" FNR ": only " third[name] " may include <" name ">")
        next
    }
    to = room_of(name)
    if (!(from in known) && from ~ /^agents\/[a-z_]+$/) from = "agents/*"
    if (!(from in known)) complain(FILENAME ": no room of cmake/rooms.cmake")
    if (own != to && !((from, to) in may))
        complain(FILENAME ":" FNR ": " from " may not include " name)
    if (!(name in exists)) next # made by the build
    a = module_of(FILENAME)
    b = module_of(name)
    if (a == b || (a, b) in why) next
    why[a, b] = FILENAME ":" FNR ": " a " -> " b
    arrow[a, ++arrow_count[a]] = b
}

END {
    for (module in arrow_count)
        if (!(module in index_of)) visit(module)
    exit bad
}
' cmake/rooms.cmake $(find core proto backends agents server -name '*.[ch]')
