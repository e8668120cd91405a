# grammar.awk - a grammar as the tables of tables.h: awk -f grammar.awk english.grammar > grammar.c
#
# Sections: [fillers], [weak], [due], [done], [touched], [birth], [wage] and [passing] are lists of words; [words] has lines "symbol: phrase |
# phrase" or "symbol = NUMBER-OR-NAME: phrases"; [rules] has lines "LEFT cost: symbols = action
# children /number", where "x?" may be missing and "x|y" is either. Failure: a line of another shape
# ends it with 1, named.

function fail(text) {
    print FILENAME ":" FNR ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

function trim(text) {
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    return text
}

function symbol_of(name) {
    if (!(name in symbols)) {
        symbols[name] = symbol_count
        symbol_names[symbol_count++] = name
    }
    return symbols[name]
}

# One rule without options: the symbols in chosen[1..n], each from place origin[i] of the file's rule.
function enter_rule(n,    i, state, key, a, place) {
    state = 0
    for (i = 1; i <= n; i++) {
        key = state SUBSEP symbol_of(chosen[i])
        if (!(key in trie))
            trie[key] = ++state_count
        state = trie[key]
        used[chosen[i]] = FNR
        place[origin[i]] = i - 1
    }
    a = ""
    for (i = 1; i <= 4; i++)
        a = a (i > 1 ? ", " : "") ((i in children) && (children[i] in place) ? place[children[i]] : -1)
    key = state SUBSEP left SUBSEP action SUBSEP a SUBSEP number
    if ((key in entered) && entered[key] != FNR)
        fail("the rule in line " entered[key] " is this one")
    entered[key] = FNR
    ends[state, ++end_count[state]] = "{" symbol_of(left) ", " cost ", GRAMMAR_" toupper(action) ", {" a "}, " number "}"
    rule_count++
}

# An action takes at one place words of [words], or what they are not: a rule that names its children
# in another order than others do is a mistake.
function hold_child(at,    parts, count, i, kind) {
    count = split(right[children[at]], parts, /[|?]/)
    for (i = 1; i <= count; i++) {
        if (parts[i] == "")
            continue
        kind = parts[i] in worded ? "a word" : "no word"
        if ((action, at) in takes && takes[action, at] != kind)
            fail("child " at " of " action " is " kind " here, and " takes[action, at] " in a rule before")
        takes[action, at] = kind
    }
}

function expand(at, n,    parts, count, i, name) {
    if (at > right_count) {
        if (n == 0)
            fail("expected at least one symbol that may not be missing")
        enter_rule(n)
        return
    }
    name = right[at]
    if (name ~ /\?$/) {
        expand(at + 1, n)
        name = substr(name, 1, length(name) - 1)
    }
    count = split(name, parts, "|")
    for (i = 1; i <= count; i++) {
        chosen[n + 1] = parts[i]
        origin[n + 1] = at
        expand(at + 1, n + 1)
    }
}

function enter_word(phrase, head, arg,    letter, place) {
    letter = substr(phrase, 1, 1)
    place = letter ~ /[a-z]/ ? index("abcdefghijklmnopqrstuvwxyz", letter) - 1 : 26
    words[place, ++word_count[place]] = "{\"" phrase "\", " symbol_of(head) ", " arg "}"
}

BEGIN {
    symbol_count = 1
    split("T TV CN CT CD CB V B R MO ME NUM PER LIT TIE Q F W U", fixed, " ")
    for (i = 1; i in fixed; i++)
        symbol_of(fixed[i])
    print "/* Made by grammar.awk of a grammar. */"
    print "#include \"agents/offline/grammar/actions.h\"\n#include \"agents/offline/grammar/tables.h\"\n"
    print "#include \"agents/english/words.h\"\n#include \"agents/english/verbs.h\"\n"
}

/^#/ || NF == 0 { next }
/^\[[a-z]+\]$/ { section = substr($0, 2, length($0) - 2); next }
section == "" { fail("expected a section first, such as [rules]") }

section == "fillers" || section == "weak" || section == "due" || section == "done" ||
section == "birth" || section == "touched" || section == "wage" || section == "passing" {
    n = split($0, list, "|")
    for (i = 1; i <= n; i++)
        if (trim(list[i]) != "")
            filler[section, ++filler_count[section]] = trim(list[i])
    next
}

section == "words" {
    at = index($0, ":")
    if (at == 0)
        fail("expected 'symbol: phrase | phrase'")
    head = trim(substr($0, 1, at - 1))
    arg = 0
    if (split(head, halves, "=") == 2) {
        head = trim(halves[1])
        arg = trim(halves[2])
    }
    n = split(substr($0, at + 1), list, "|")
    for (i = 1; i <= n; i++) {
        phrase = trim(list[i])
        if (phrase == "")
            fail("expected a phrase between two bars")
        enter_word(phrase, head, arg)
        if (gsub(/n't/, "nt", phrase)) # as many write it
            enter_word(phrase, head, arg)
        defined[head] = worded[head] = 1
    }
    next
}

section == "rules" {
    at = index($0, ":")
    eq = 0
    for (i = at; i <= length($0); i++)
        if (substr($0, i, 3) == " = ")
            eq = i
    if (at == 0 || eq == 0)
        fail("expected 'LEFT cost: symbols = action children'")
    n = split(trim(substr($0, 1, at - 1)), heads, " ")
    left = heads[1]
    cost = n > 1 ? heads[2] : 0
    right_count = split(trim(substr($0, at + 1, eq - at - 1)), right, " ")
    n = split(trim(substr($0, eq + 3)), does, " ")
    action = does[1]
    number = 0
    delete children
    for (i = 2; i <= n; i++)
        if (does[i] ~ /^\//)
            number = substr(does[i], 2)
        else
            children[i - 1] = does[i]
    if (right_count < 1 || right_count > 7)
        fail("expected 1 to 7 symbols, got " right_count)
    for (i in children)
        hold_child(i)
    defined[left] = 1
    expand(1, 0)
    next
}

{ fail("unknown section " section) }

END {
    if (failed)
        exit 1
    for (i = 1; i in fixed; i++)
        defined[fixed[i]] = 1
    for (name in used)
        if (!(name in defined)) {
            print FILENAME ":" used[name] ": nothing makes the symbol " name > "/dev/stderr"
            exit 1
        }
    print "const struct grammar_word grammar_words[] = {"
    total = 0
    for (p = 0; p <= 26; p++) {
        from[p] = total
        for (i = 1; i <= word_count[p]; i++) {
            print "    " words[p, i] ","
            total++
        }
    }
    print "};\nconst size_t grammar_word_count = " total ";\nconst uint16_t grammar_words_from[28] = {"
    for (p = 0; p <= 26; p++)
        printf "%d, ", from[p]
    print total "};"
    print "const size_t grammar_symbol_count = " symbol_count ", grammar_state_count = " state_count + 1 ";"
    print "const uint16_t grammar_next[] = {"
    for (s = 0; s <= state_count; s++) {
        row = ""
        for (c = 0; c < symbol_count; c++)
            row = row ((s SUBSEP c) in trie ? trie[s, c] : 0) ","
        print "    " row
    }
    print "};\nconst struct grammar_end grammar_ends[] = {"
    total = 0
    for (s = 0; s <= state_count; s++) {
        ends_from[s] = total
        for (i = 1; i <= end_count[s]; i++) {
            print "    " ends[s, i] ","
            total++
        }
    }
    print "};\nconst uint16_t grammar_ends_from[] = {"
    for (s = 0; s <= state_count; s++)
        printf "%d,%s", ends_from[s], s % 16 == 15 ? "\n" : " "
    print total "};"
    split("fillers weak due done birth touched wage passing", lists, " ")
    for (k = 1; k in lists; k++) {
        name = lists[k]
        print "const char *const grammar_" name "[] = {"
        for (i = 1; i <= filler_count[name]; i++)
            print "    \"" filler[name, i] "\","
        print "    NULL,\n};"
    }
}
