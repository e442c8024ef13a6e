#!/bin/sh
# Installs what some tests need beside Python, where that is possible: Debian packages as root with apt-get,
# and the judges that exist only for Node. Elsewhere those tests are skipped, each saying what it misses.
set -eu
here=$(dirname "$0")

missing=""
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
[ -x /usr/sbin/smtp-sink ] || missing="$missing postfix"
command -v chromium >/dev/null || missing="$missing chromium"
ls /usr/lib/*/libatomic.so.1 >/dev/null 2>&1 || missing="$missing libatomic1" # Playwright's own Node asks for it
command -v spamassassin >/dev/null || missing="$missing spamassassin"
command -v node >/dev/null || missing="$missing nodejs"
command -v npm >/dev/null || missing="$missing npm"

if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "not installed, so that tests which need it are skipped:$missing" >&2
    else
        export DEBIAN_FRONTEND=noninteractive
        { apt-get update && apt-get install --yes --no-install-recommends $missing; } >/dev/null 2>&1 \
            || echo "could not install, so that tests which need it are skipped:$missing" >&2
    fi
fi

installed="$here/node/node_modules/.package-lock.json" # dash finds nothing newer than a file that is not there
if command -v npm >/dev/null && { [ ! -e "$installed" ] || [ "$here/node/package-lock.json" -nt "$installed" ]; }; then
    npm --prefix "$here/node" ci --silent >/dev/null 2>&1 \
        || echo "could not install, so that tests which need it are skipped: the packages of tests/node" >&2
fi
