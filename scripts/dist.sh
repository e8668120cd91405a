#!/bin/sh
# scripts/dist.sh BUILD OUT - what a release has: the Debian package, a container image (an OCI
# archive that docker load, podman load and skopeo take), a list of what is in them (SPDX), and the
# checksums of all of it. Needs no container engine and no root.
#
# The image has askd, the libraries and the programs that it starts, each with all that it is linked
# with, as they are installed here: make it on the system whose libraries it shall have.
set -eu
build=$1 out=$2
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Of the commit, so that the same source makes the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)

# ---- the package ----

(cd "$build" && cpack --config CPackConfig.cmake -G DEB -B "$work/made") >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    exit 1
}
deb=$(echo "$work"/made/askd_*.deb)
name=$(basename "$deb" .deb)
version=$(dpkg-deb -f "$deb" Version)
cp "$deb" "$out/"

# ---- the files of the image ----

image=$work/image
mkdir -p "$image/data" "$image/tmp" "$image/proc" "$image/dev" "$image/etc"
dpkg-deb -x "$deb" "$image"
rm -rf "$image/usr/share/man" "$image/usr/share/doc" "$image/usr/share/fish" "$image/usr/share/zsh" \
    "$image/usr/share/bash-completion" "$image/usr/lib/systemd" "$image/usr/lib/sysusers.d"
for link in bin lib lib64 sbin; do
    mkdir -p "$image/usr/$link"
    ln -s "usr/$link" "$image/$link"
done
# Copy a file and the libraries that it is linked with to their places.
add() {
    for file in "$1" $(ldd "$1" | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }'); do
        place=$(readlink -f "$(dirname "$file")")/$(basename "$file")
        case $place in /usr/*) ;; *) place=/usr$place ;; esac
        [ -e "$image$place" ] || { mkdir -p "$image$(dirname "$place")" && cp -L "$file" "$image$place"; }
        echo "$file" >>"$work/added"
    done
}
for file in $(ldd "$image/usr/bin/askd" | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }'); do add "$file"; done
if command -v pdftotext >/dev/null; then add "$(command -v pdftotext)"; fi
for module in libnss_dns.so.2 libnss_files.so.2; do # names to addresses, where glibc has them apart
    library=$(ls /usr/lib/*/$module 2>/dev/null | head -n 1)
    [ -z "$library" ] || add "$library"
done
mkdir -p "$image/etc/ssl/certs"
[ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$image/etc/ssl/certs/"
echo 'askd:x:10001:10001:askd:/data:/usr/sbin/nologin' >"$image/etc/passwd"
echo 'askd:x:10001:' >"$image/etc/group"
echo 'hosts: files dns' >"$image/etc/nsswitch.conf"
cp /etc/os-release "$image/etc/os-release"
chmod 1777 "$image/tmp"

# ---- the image: https://github.com/opencontainers/image-spec ----

blobs=$work/oci/blobs/sha256
mkdir -p "$blobs"
# Move a file among the blobs; prints digest and size as a descriptor has them.
blob() {
    digest=$(sha256sum "$1" | cut -d ' ' -f 1)
    mv "$1" "$blobs/$digest"
    printf '"digest":"sha256:%s","size":%s' "$digest" "$(stat -c %s "$blobs/$digest")"
}
pack() { # folder, archive, more options
    folder=$1 archive=$2
    shift 2
    tar --sort=name --format=posix --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime \
        --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner --owner=0 --group=0 "$@" -C "$folder" -cf "$archive" .
}
# /data is the user's.
(cd "$image" && tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner --owner=10001 --group=10001 \
    --no-recursion -cf "$work/layer.tar" ./data)
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner --owner=0 --group=0 --exclude=./data \
    -C "$image" -rf "$work/layer.tar" .
layer_digest=$(sha256sum "$work/layer.tar" | cut -d ' ' -f 1)
gzip -n -6 "$work/layer.tar"
layer=$(blob "$work/layer.tar.gz")
architecture=$(dpkg --print-architecture)
cat >"$work/config.json" <<END
{"created":"$created","architecture":"$architecture","os":"linux","config":{"User":"10001:10001",
"ExposedPorts":{"8080/tcp":{}},"Env":["PATH=/usr/bin","ASKD_HOST=0.0.0.0","ASKD_LOG_FORMAT=json",
"SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],"Entrypoint":["/usr/bin/askd"],"Cmd":["serve"],
"Volumes":{"/data":{}},"WorkingDir":"/data","StopSignal":"SIGTERM","Labels":{
"org.opencontainers.image.title":"askd","org.opencontainers.image.version":"$version",
"org.opencontainers.image.licenses":"MIT"}},"rootfs":{"type":"layers","diff_ids":["sha256:$layer_digest"]},
"history":[{"created":"$created","created_by":"scripts/dist.sh"}]}
END
config=$(blob "$work/config.json")
cat >"$work/manifest.json" <<END
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{
"mediaType":"application/vnd.oci.image.config.v1+json",$config},"layers":[{
"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip",$layer}]}
END
manifest=$(blob "$work/manifest.json")
cat >"$work/oci/index.json" <<END
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{
"mediaType":"application/vnd.oci.image.manifest.v1+json",$manifest,"platform":{
"architecture":"$architecture","os":"linux"},"annotations":{
"org.opencontainers.image.ref.name":"askd:$version","io.containerd.image.name":"docker.io/library/askd:$version"}}]}
END
echo '{"imageLayoutVersion":"1.0.0"}' >"$work/oci/oci-layout"
pack "$work/oci" "$out/$name.oci.tar"

# ---- what is in it: https://spdx.github.io/spdx-spec/v2.3 ----

# The Debian packages that the files of the image are from.
sort -u "$work/added" | while read -r file; do
    real=$(readlink -f "$file") # which dpkg may know by the name before /usr was merged
    dpkg-query -S "$real" 2>/dev/null || dpkg-query -S "${real#/usr}" 2>/dev/null || true
done | sed 's/: .*//; s/:.*//' | sort -u >"$work/packages"
[ ! -e "$image/etc/ssl/certs/ca-certificates.crt" ] || echo ca-certificates >>"$work/packages"
{
    printf '{"spdxVersion":"SPDX-2.3","dataLicense":"CC0-1.0","SPDXID":"SPDXRef-DOCUMENT","name":"%s",\n' "$name"
    printf '"documentNamespace":"https://askd.invalid/spdx/%s-%s",\n' "$name" "$layer_digest"
    printf '"creationInfo":{"created":"%s","creators":["Tool: scripts/dist.sh"]},\n"packages":[\n' "$created"
    printf '{"SPDXID":"SPDXRef-askd","name":"askd","versionInfo":"%s","downloadLocation":"NOASSERTION",' "$version"
    printf '"filesAnalyzed":false,"licenseConcluded":"MIT","licenseDeclared":"MIT","copyrightText":"NOASSERTION",'
    printf '"checksums":[{"algorithm":"SHA256","checksumValue":"%s"}]}' "$(sha256sum "$deb" | cut -d ' ' -f 1)"
    sort -u "$work/packages" | while read -r package; do
        had=$(dpkg-query -W -f='${Version}\n' "$package" | head -n 1)
        printf ',\n{"SPDXID":"SPDXRef-%s","name":"%s","versionInfo":"%s","downloadLocation":"NOASSERTION",' \
            "$(echo "$package" | sed 's/[^A-Za-z0-9.-]/-/g')" "$package" "$had"
        printf '"filesAnalyzed":false,"licenseConcluded":"NOASSERTION","licenseDeclared":"NOASSERTION",'
        printf '"copyrightText":"NOASSERTION","externalRefs":[{"referenceCategory":"PACKAGE-MANAGER",'
        printf '"referenceType":"purl","referenceLocator":"pkg:deb/debian/%s@%s?arch=%s"}]}' \
            "$(echo "$package" | sed 's/+/%2B/g')" "$(echo "$had" | sed 's/+/%2B/g; s/~/%7E/g; s/:/%3A/g')" "$architecture"
    done
    printf '],\n"relationships":[\n'
    printf '{"spdxElementId":"SPDXRef-DOCUMENT","relationshipType":"DESCRIBES","relatedSpdxElement":"SPDXRef-askd"}'
    sort -u "$work/packages" | sed 's/[^A-Za-z0-9.-]/-/g' | while read -r package; do
        printf ',\n{"spdxElementId":"SPDXRef-askd","relationshipType":"DEPENDS_ON","relatedSpdxElement":"SPDXRef-%s"}' "$package"
    done
    printf ']}\n'
} >"$out/$name.spdx.json"

(cd "$out" && sha256sum "$name.deb" "$name.oci.tar" "$name.spdx.json" >SHA256SUMS)
