# tests/docs/take_blocks.awk - a page's code blocks as files: awk -v source=TREE -v out=FOLDER -f this PAGE
#
#   ```c path, ```text path: the file; ```diff path: source's file with the lines of "+" behind those of " ", without those of "-".
# A line "..." of a diff stands for any lines. Failure: a line that is not there ends it with 1.

function fail(text) {
    print FILENAME ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

# Up to wanted and what is to stand before it, or fail when wanted never came.
function copy_to(wanted,    line) {
    while ((getline line < old) > 0) {
        if (line == wanted) {
            printf "%s%s\n", kept, line > target
            kept = ""
            is_open = 0
            return
        }
        print line > target
    }
    fail(path ": there is no line '" wanted "'")
}

# The same, and leave that line out.
function skip_to(unwanted,    line) {
    while ((getline line < old) > 0) {
        if (line == unwanted) {
            is_open = 0
            return
        }
        print line > target
    }
    fail(path ": there is no line '" unwanted "'")
}

function finish_diff(    line) {
    if (kept != "")
        fail(path ": nothing comes behind what is added")
    while ((getline line < old) > 0)
        print line > target
    close(old)
}

/^```(c|text|diff) / {
    kind = substr($1, 4)
    path = $2
    target = out "/" path
    folder = target
    sub(/\/[^\/]*$/, "", folder)
    system("mkdir -p '" folder "'")
    printf "" > target
    old = source "/" path
    is_open = 0
    kept = ""
    next
}

/^```/ {
    if (kind == "diff")
        finish_diff()
    if (kind != "")
        close(target)
    kind = ""
    next
}

kind == "diff" {
    if ($0 ~ /^ *\.\.\.$/) {
        is_open = 1 # what is added now stands before the next line that is kept
        next
    }
    if (substr($0, 1, 1) == "-") {
        skip_to(substr($0, 2))
        next
    }
    if (substr($0, 1, 1) == "+" && is_open)
        kept = kept substr($0, 2) "\n"
    else if (substr($0, 1, 1) == "+")
        print substr($0, 2) > target
    else if (substr($0, 1, 1) == " ")
        copy_to(substr($0, 2))
    else
        fail("neither kept, added nor left out: " $0)
    next
}

kind != "" { print > target }

END { exit failed }
