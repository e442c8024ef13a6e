#!/bin/sh
# Installs the Debian packages that some tests need, where that is possible: as root, with apt-get.
# Elsewhere those tests are skipped, each saying what it misses.
set -eu

missing=""
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
[ -x /usr/sbin/smtp-sink ] || missing="$missing postfix"

[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "not installed, so that tests which need it are skipped:$missing" >&2
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
{ apt-get update && apt-get install --yes --no-install-recommends $missing; } >/dev/null 2>&1 \
    || echo "could not install, so that tests which need it are skipped:$missing" >&2
