#!/bin/sh
# SPDX-License-Identifier: MIT
# requirements.sh ROOT BUILD - docs/requirements.md has every requirement once (R1 to R272, C1 to
# C50), each with a verdict. Each test that it names is registered in BUILD, and has the function or
# the words that are given with it; each file that it names exists. Every number that the sources,
# the tests, the pages or .env.example name is on it.
set -eu
cd "$1"
page=docs/requirements.md
bad=0

# Of each entry on one line: its number, a tab, all of its text.
entries() {
    awk '
    /^- \*\*[RC][0-9]+\*\*/ {
        if (entry != "") print entry
        number = $2
        gsub(/\*/, "", number)
        entry = number "\t" $0
        next
    }
    entry != "" && /^  / { sub(/^ +/, ""); entry = entry " " $0; next }
    entry != "" { print entry; entry = "" }
    END { if (entry != "") print entry }
    ' "$page"
}

names=$(ctest --test-dir "$2" -N | sed -n 's/^ *Test *#[0-9]*: //p')
sources=$(find tests -name '*.[ch]' -not -path '*/node_modules/*')
entries | awk -v names="$names" -v sources="$sources" '
BEGIN {
    count = split(names, one, "\n")
    for (i = 1; i <= count; i++) {
        is_test[one[i]] = 1
        group = one[i]
        sub(/\..*/, "", group)
        is_group[group] = 1
    }
    if (count < 100) complain("ctest knows only " count " tests")
    count = split(sources, one, "\n")
    for (i = 1; i <= count; i++) {
        base = one[i]
        sub(/.*\//, "", base)
        paths[base] = paths[base] " " one[i]
    }
}

function complain(text) {
    print "docs/requirements.md: " number ": " text
    bad = 1
}

# All of a file; "" when there is none.
function text_of(path,    line, text) {
    if (path in texts)
        return texts[path]
    text = ""
    while ((getline line < path) > 0)
        text = text line "\n"
    close(path)
    return texts[path] = text
}

# The text of a test, from its name: node.runs, core.run, contract.store.redis, flow.flow_http.
function text_of_test(test,    part, all, count, i, base, path) {
    split(test, part, ".")
    if (part[1] == "node")
        return text_of("tests/node/" part[2] ".test.mjs")
    all = paths["test_" part[2] ".c"] paths["contract_" part[2] ".c"] paths[part[2] ".c"]
    if (part[1] == "guard")
        all = paths["guard_corpus.c"] paths["guard_random.c"]
    count = split(all, path, " ")
    all = ""
    for (i = 1; i <= count; i++)
        all = all text_of(path[i])
    return all
}

# Mentions like `core.run:endings` ("words of it", "others"), `docs/joins.md`.
function read_mentions(rest,    token, test, function_name, group, text, words, tests) {
    tests = 0
    while (match(rest, /`[^`]+`/)) {
        token = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        if (token ~ /^[A-Za-z][A-Za-z_-]*\/[^ ]*$/) {
            if (text_of(token) == "")
                complain("there is no file " token)
            continue
        }
        test = token
        function_name = ""
        if (index(token, ":")) {
            function_name = substr(token, index(token, ":") + 1)
            test = substr(token, 1, index(token, ":") - 1)
        }
        group = test
        sub(/\..*/, "", group)
        if (!(group in is_group) || test !~ /^[a-z]+\.[a-z_.0-9]+$/)
            continue
        tests++
        if (!(test in is_test)) {
            complain("there is no test " test)
            continue
        }
        text = ""
        if (function_name != "") {
            text = text_of_test(test)
            if (!index(text, "TEST(" function_name ")"))
                complain(test " has no function " function_name)
        }
        if (rest !~ /^ \("/)
            continue
        text = text_of_test(test)
        rest = substr(rest, 3)
        while (match(rest, /^(, )?"[^"]+"/)) {
            words = substr(rest, index(rest, "\"") + 1, RLENGTH - index(rest, "\"") - 1)
            rest = substr(rest, RSTART + RLENGTH)
            if (!index(text, words))
                complain(test " does not have the words \"" words "\"")
        }
    }
    return tests
}

{
    number = substr($0, 1, index($0, "\t") - 1)
    if (seen[number]++)
        complain("is there twice")
    text = substr($0, index($0, "\t") + 1)
    if (text !~ /[.] (Proven by|Partly|Not proven|Not built|Broken|Judged)/)
        complain("has no verdict: Proven by, Partly, Not proven, Not built, Broken, or Judged")
    tests = read_mentions(text)
    if (text ~ /[.] Proven by/ && tests == 0)
        complain("is proven by no test")
}

END {
    for (i = 1; i <= 272 + 50; i++) {
        number = i <= 272 ? "R" i : "C" (i - 272)
        if (!seen[number])
            complain("is not there")
        delete seen[number]
    }
    for (number in seen)
        if (seen[number])
            complain("there is no such number")
    exit bad
}
' || bad=1

# What else names a number.
known=$(entries | cut -f 1)
find core proto backends agents server bench tests docs examples README.md CONTRIBUTING.md .env.example \
    -type f \
    \( -name '*.[ch]' -o -name '*.inc' -o -name '*.mjs' -o -name '*.md' -o -name '*.sh' -o -name '*.cmake' \
    -o -name CMakeLists.txt -o -name .env.example \) -not -path '*/node_modules/*' -exec awk -v known="$known" '
BEGIN {
    count = split(known, one, "\n")
    for (i = 1; i <= count; i++)
        is_known[one[i]] = 1
}
# A letter R or C and up to three digits, and no other letter, digit or sign of a name around them.
{
    rest = $0
    while (match(rest, /[RC][1-9][0-9]*/)) {
        before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : ""
        after = substr(rest, RSTART + RLENGTH, 1)
        word = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (RLENGTH > 4 || before ~ /[A-Za-z0-9_$%+\/=.#\\]/ || after ~ /[A-Za-z0-9_+\/=]/)
            continue
        if (!(word in is_known)) {
            print FILENAME ":" FNR ": " word " is not on docs/requirements.md"
            bad = 1
        }
    }
}
END { exit bad }
' {} + || bad=1
exit $bad
