# scripts/packages.sh - Debian packages by purpose, and installing those that are missing. Sourced.

BUILD_PACKAGES="build-essential cmake ninja-build pkg-config libuv1-dev node-llhttp libnghttp2-dev
    libcurl4-openssl-dev libsqlite3-dev libpq-dev libmariadb-dev libpg-query-dev libmd4c-dev
    libxml2-dev libhiredis-dev zlib1g-dev libzip-dev libedit-dev"
# What a built askd needs to run.
RUN_PACKAGES="ca-certificates libuv1 libnghttp2-14 libcurl4 libsqlite3-0 libpq5 libmariadb3
    libpg-query1504.0 libmd4c0 libxml2 libssl3 libhiredis0.14 zlib1g libzip4 libedit2
    poppler-utils"
TEST_PACKAGES="$BUILD_PACKAGES libcmocka-dev sqlite3 curl clang libclang-rt-14-dev postgresql-15
    mariadb-server-core mariadb-client-core redis-server openssl chromium nghttp2-client groff-base file
    poppler-utils"

# as_root COMMAND...: directly, or through sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "root is needed for: $*" >&2
        exit 1
    fi
}

# install_packages NAME...: only what dpkg does not know as installed.
install_packages() {
    missing=
    for package in "$@"; do
        state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$state" = installed ] || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "installing:$missing" >&2
    as_root apt-get update -qq >&2
    # shellcheck disable=SC2086 # a list of names
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing >&2
}

# install_npm: Debian's Node and npm, where there are none; another's stay as they are.
install_npm() {
    command -v node >/dev/null && command -v npm >/dev/null || install_packages nodejs npm
}
