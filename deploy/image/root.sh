#!/bin/sh
# Builds the root file system of the image in folder $1, from packages of the image in which this script runs. It has no
# shell and no package manager. The same base image gives the same result.
set -eu
out=$1
packages='base-files ca-certificates libc6 libgcc-s1 netbase tzdata'

mkdir -p "$out/etc/ssl/certs" "$out/tmp" "$out/usr/bin" "$out/usr/lib" "$out/usr/lib64" "$out/var/lib/dpkg/status.d"
chmod 1777 "$out/tmp"
ln -s usr/lib "$out/lib"
ln -s usr/lib64 "$out/lib64"

for package in $packages; do
    # Vulnerability scanners read the image's packages from here.
    dpkg-query --status "$package" > "$out/var/lib/dpkg/status.d/$package"
    dpkg-query --listfiles "$package"
done \
    | grep -v -E '^/usr/(share/(man|locale|lintian|base-files|bug|zoneinfo/(right|posix))|lib/[^/]*/gconv|sbin|share/ca-certificates)|^/(etc/(ca-certificates|update-motd.d)|s?bin/)' \
    | while read -r path; do
        if [ -L "$path" ] || [ -f "$path" ]; then echo "${path#/}"; fi
    done \
    | tar --create --directory=/ --files-from=- \
    | tar --extract --directory="$out" --keep-directory-symlink

cp /etc/ssl/certs/ca-certificates.crt "$out/etc/ssl/certs/"
echo 'hosts: files dns' > "$out/etc/nsswitch.conf"
echo 'tarsy:x:65532:65532:tarsy:/tmp:/usr/sbin/nologin' > "$out/etc/passwd"
echo 'tarsy:x:65532:' > "$out/etc/group"
