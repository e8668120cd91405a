# complexity.awk - the cyclomatic complexity of C functions: awk -v most=20 -f this FILE...
#
# 1 + if, for, while, case, &&, ||, ?: of each function. Comments, strings, characters and
# preprocessor lines (so bodies of macros) do not count. A function begins with a brace at the
# begin of a line and ends with one. Prints those over most and ends with 1 when there are any.

# The line without comments, strings and characters; in_comment goes on over lines.
function code_of(line,    code, end) {
    code = ""
    while (line != "") {
        if (in_comment) {
            end = index(line, "*/")
            if (end == 0)
                return code
            line = substr(line, end + 2)
            in_comment = 0
        } else if (match(line, /\/\*|"([^"\\]|\\.)*"|'([^'\\]|\\.)*'/)) {
            code = code substr(line, 1, RSTART - 1) " "
            if (substr(line, RSTART, 2) == "/*")
                in_comment = 1
            line = substr(line, RSTART + RLENGTH)
        } else {
            return code line
        }
    }
    return code
}

function branches(code,    count) {
    count = gsub(/&&|\|\||\?/, " ", code)
    gsub(/[^A-Za-z0-9_]+/, "  ", code) # each word between blanks of its own
    code = " " code " "
    return count + gsub(/ (if|for|while|case) /, "", code)
}

FNR == 1 { in_comment = in_macro = in_function = 0; name = "?" }

{ line = $0 }

!in_comment && (in_macro || line ~ /^[ \t]*#/) {
    in_macro = line ~ /\\$/
    next
}

{ code = code_of(line) }

!in_function && code ~ /^[A-Za-z].*\(/ {
    name = code
    sub(/\(.*/, "", name)
    sub(/.*[^A-Za-z0-9_]/, "", name)
}

/^\{/ { in_function = 1; start = FNR; complexity = 1 }

in_function { complexity += branches(code) }

/^\}/ {
    if (in_function && complexity > most) {
        print FILENAME ":" start ": " name " has a complexity of " complexity ", at most " most
        bad = 1
    }
    in_function = 0
}

END { exit bad }
