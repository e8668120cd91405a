#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/docker/package.sh SOURCE BUILD - the Debian package: what is in it, and what dpkg does with it
# in a folder: install, upgrade with settings and data as they were, remove, purge. The installed
# program answers.
set -eu
source=$1 build=$2
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || exit 77
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() {
    echo "tests/docker/package.sh: $*" >&2
    exit 1
}

(cd "$build" && cpack --config CPackConfig.cmake -G DEB -B "$place/made") >"$place/log" 2>&1 ||
    fail "cpack: $(tail -n 20 "$place/log")"
deb=$(echo "$place"/made/askd_*.deb)
[ -f "$deb" ] || fail "there is no package"

# What is in it, whose, and where nothing may be.
dpkg-deb --fsys-tarfile "$deb" | tar -tv >"$place/list"
for path in ./usr/bin/askd ./etc/askd/askd.env ./usr/lib/systemd/system/askd.service \
    ./usr/lib/sysusers.d/askd.conf ./usr/share/man/man1/askd.1 ./usr/share/doc/askd/copyright \
    ./usr/share/bash-completion/completions/askd ./usr/share/zsh/vendor-completions/_askd \
    ./usr/share/fish/vendor_completions.d/askd.fish; do
    grep -q " $path\$" "$place/list" || fail "$path is not in it"
done
! awk '{ print $NF }' "$place/list" | grep -Ev '^\./((usr|etc)/.*)?$' || fail "paths outside /usr and /etc"
! grep -v ' root/root ' "$place/list" || fail "something is not root's"
[ "$(dpkg-deb -f "$deb" Package)" = askd ] || fail "its name"
dpkg-deb -e "$deb" "$place/control"
grep -qx /etc/askd/askd.env "$place/control/conffiles" || fail "conffiles"
for script in postinst prerm postrm; do
    sh -n "$place/control/$script" || fail "$script"
    [ -x "$place/control/$script" ] || fail "$script is no program"
done
needs=$(dpkg-deb -f "$deb" Depends)
. "$source/scripts/packages.sh"
for package in $RUN_PACKAGES; do
    [ "$package" = poppler-utils ] || case $needs in *"$package"*) ;; *) fail "it does not need $package: $needs" ;; esac
done

# A system in a folder. --force-script-chrootless: the scripts see $DPKG_ROOT.
root=$place/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
: >"$root/var/lib/dpkg/status"
in_root() {
    dpkg --root="$root" --force-script-chrootless --force-not-root --force-depends \
        --force-confold --log="$place/dpkg.log" "$@" >>"$place/log" 2>&1 ||
        fail "dpkg $*: $(tail -n 20 "$place/log")"
}
in_root -i "$deb"
[ -d "$root/var/lib/askd" ] || fail "there is no folder for data"
[ "$(stat -c %a "$root/var/lib/askd")" = 700 ] || fail "everybody may read the data"
[ "$(stat -c %a "$root/etc/askd/askd.env")" = 640 ] || fail "everybody may read the settings"
grep -q "^ExecStart=/usr/bin/askd serve" "$root/usr/lib/systemd/system/askd.service" || fail "the unit starts another program"
grep -q "^User=$(awk '$1 == "u" { print $2 }' "$root/usr/lib/sysusers.d/askd.conf")\$" \
    "$root/usr/lib/systemd/system/askd.service" || fail "the unit's user is another"

# It answers, with its own prompts.
"$build/make_samples" "$place/sample.db" >/dev/null
ask() {
    (cd "$place" && "$root/usr/bin/askd" ask "How many customers are there?" --model offline \
        --db "sqlite:$place/sample.db" --set ASKD_TENANCY=off 2>"$place/said") || fail "$(cat "$place/said")"
}
ask | grep -q '[0-9]' || fail "no answer"

# An upgrade keeps what a person wrote and what the service kept.
echo ASKD_MODEL=offline >>"$root/etc/askd/askd.env"
echo kept >"$root/var/lib/askd/conversations.db"
dpkg-deb -R "$deb" "$place/next"
sed -i 's/^Version: .*/Version: 99.0/' "$place/next/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z1 -b "$place/next" "$place/next.deb" >/dev/null
in_root -i "$place/next.deb"
[ "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${Version} ${db:Status-Status}' askd)" = "99.0 installed" ] ||
    fail "it is not upgraded"
[ "$(tail -n 1 "$root/etc/askd/askd.env")" = ASKD_MODEL=offline ] || fail "the settings are lost"
[ "$(cat "$root/var/lib/askd/conversations.db")" = kept ] || fail "the data is lost"
ask | grep -q '[0-9]' || fail "no answer after the upgrade"

# A removal leaves both, a purge neither.
in_root -r askd
[ ! -e "$root/usr/bin/askd" ] || fail "the program is still there"
[ -e "$root/etc/askd/askd.env" ] && [ -e "$root/var/lib/askd/conversations.db" ] || fail "a removal took settings or data"
in_root -P askd
[ ! -e "$root/etc/askd" ] && [ ! -e "$root/var/lib/askd" ] || fail "a purge left settings or data"
