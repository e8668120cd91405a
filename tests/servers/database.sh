#!/bin/sh
# database.sh create|drop|run FOLDER postgres|mysql NAME [FILE.sql...] - a database of a test's own.
#
# FOLDER is where servers.sh left its urls. create makes NAME anew, runs the files in it, and prints
# its url (as administrator). drop removes it with whoever is still connected. run executes what
# stands on its input there.
set -eu
verb=$1 folder=$2 engine=$3 name=$4
shift 4
admin=$(cat "$folder/$engine.url")
url=${admin%/*}/$name

# mysql_cli DATABASE ARGS...: the url's parts as options.
mysql_cli() {
    rest=${admin#mysql://}
    login=${rest%%@*}
    place=${rest#*@}
    place=${place%%/*}
    database=$1
    shift
    MYSQL_PWD=${login#*:} mariadb --no-defaults -u "${login%%:*}" -h "${place%%:*}" \
        -P "${place#*:}" --default-character-set=utf8mb4 -D "$database" "$@"
}

case $engine in
postgres)
    [ "$verb" != run ] || exec psql -X -q -v ON_ERROR_STOP=1 "$url"
    export PGOPTIONS="-c client_min_messages=warning" # no word on what was not there
    psql -X -q "$admin" -c "DROP DATABASE IF EXISTS \"$name\" WITH (FORCE)"
    [ "$verb" = create ] || exit 0
    psql -X -q "$admin" -c "CREATE DATABASE \"$name\""
    for file in "$@"; do
        psql -X -q -v ON_ERROR_STOP=1 -o /dev/null "$url" -f "$file"
    done
    ;;
mysql)
    if [ "$verb" = run ]; then
        mysql_cli "$name" || true # what is to be killed may be gone already
        exit 0
    fi
    mysql_cli mysql -e "DROP DATABASE IF EXISTS \`$name\`"
    [ "$verb" = create ] || exit 0
    mysql_cli mysql -e "CREATE DATABASE \`$name\` CHARACTER SET utf8mb4"
    for file in "$@"; do
        mysql_cli "$name" <"$file"
    done
    ;;
esac
echo "$url"
