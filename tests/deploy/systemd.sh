#!/bin/sh
# Proves units and upgrades of a Debian package under a real systemd: from the package to an analysis, a killed worker, a
# reload, an upgrade amid an alert, the end of all. Prints how long each took.
#
#   mmdebstrap --variant=minbase --include=systemd,systemd-sysv,dbus,postgresql,ca-certificates,procps,curl,util-linux bookworm ROOT
#   tests/deploy/systemd.sh PACKAGE ROOT
#
# As root. systemd is booted in namespaces of its own; it has the network of this machine, where ports 5432, 18321 and
# 18322 to 18324 must be free. The root is not clean afterwards.
set -eu

package=$1
root=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
api=http://127.0.0.1:18321

say() { printf '%s\n' "--> $*"; }
fail() { printf '%s\n' "error: $*" >&2; inside journalctl --no-pager --lines=40 --unit='tarsy*' >&2 || true; exit 1; }
inside() { nsenter --target "$init" --mount --pid --uts --ipc -- env PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C "$@"; }
now() { date +%s%N; }
took() { awk "BEGIN { printf \"%.1f s\", ($(now) - $1) / 1e9 }"; }
pid_of() { inside systemctl show --property=MainPID --value "$1"; }
tarsy() { inside tarsy --url "$api" "$@"; }
# Until a command succeeds, at most 60 s.
until_is() {
    what=$1
    shift
    for _ in $(seq 300); do
        "$@" > /dev/null 2>&1 && return
        sleep 0.2
    done
    fail "not within 60 s: $what"
}
is_another() { new=$(pid_of "$1"); [ "$new" != 0 ] && [ "$new" != "$2" ]; }
has_no_process() { ! inside pgrep -x tarsy; }
has_ended() { tarsy sessions show "$1" --json | grep -q '"status": *"completed"'; }
submit() { tarsy submit "/tmp/$1.json" --json | sed -n 's/.*"session_id": *"\([^"]*\)".*/\1/p' | head -1; }
ended() {
    kill -KILL "$init" 2>/dev/null || true
    rm -rf "$work"
}
trap ended EXIT
trap 'exit 1' INT TERM

cat > "$work/boot" <<'END'
set -e
cd "$1"
mount --bind . .
cd "$1"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount --rbind /dev dev
mount -t cgroup2 cgroup2 sys/fs/cgroup
mkdir -p oldroot
pivot_root . oldroot
umount -l /oldroot
export container=lxc
exec /sbin/init
END
say "systemd boots"
unshare --mount --pid --fork --uts --ipc --propagation private sh "$work/boot" "$root" > "$work/console" 2>&1 &
for _ in $(seq 100); do
    init=$(pgrep --parent $! || true)
    [ -n "$init" ] && [ "$(cat "/proc/$init/comm")" = systemd ] && break
    sleep 0.2
done
[ -n "$init" ] || { cat "$work/console"; exit 1; }
until_is "systemd runs" inside systemctl list-units --no-pager tarsy.target
until_is "Postgres runs" inside systemctl start postgresql@15-main.service
inside su postgres -c "psql -qc \"create role tarsy login password 'tarsy'\" -c 'create database tarsy owner tarsy'"

say "from the package to an analysis"
began=$(now)
cp "$package" "$root/var/tmp/tarsy.deb"
inside dpkg -i /var/tmp/tarsy.deb > "$work/dpkg" 2>&1 || { cat "$work/dpkg"; fail "the package can't be installed"; }
cat >> "$root/etc/tarsy/tarsy.env" <<END
DATABASE_URL='postgres://tarsy:tarsy@localhost:5432/tarsy?sslmode=prefer&application_name=package'
TARSY_LISTEN='127.0.0.1:18321'
END
echo TARSY_OPS_LISTEN=127.0.0.1:18322 > "$root/etc/tarsy/stage-worker.env"
cp "$here/deb/agents.yaml" "$here/deb/script.yaml" "$root/etc/tarsy/"
inside chown root:tarsy /etc/tarsy/stage-worker.env
inside systemctl enable --now tarsy-migrate tarsy-ingest-api tarsy-chain-worker@1 tarsy-stage-worker@default tarsy.target
until_is "the API is ready" inside tarsy probe readyz --url "$api"
say "installed, migrated, ready: $(took "$began")"
inside sh -c 'set -a; . /etc/tarsy/tarsy.env; tarsy migrate --check' || fail "a shell reads another DATABASE_URL than systemd"
printf '%s' '{"alert_type": "PackageInstalled", "runbook": "local:namespace-terminating", "severity": "warning", "data": {"host": "quick"}}' | inside tee /tmp/quick.json > /dev/null
printf '%s' '{"alert_type": "PackageInstalled", "runbook": "local:namespace-terminating", "severity": "warning", "data": {"host": "slow"}}' | inside tee /tmp/slow.json > /dev/null
tarsy submit /tmp/quick.json --wait > "$work/analysis" || { cat "$work/analysis"; fail "the alert was not analysed"; }
grep -q 'The package works' "$work/analysis" || fail "another analysis than the script's"
say "analysed: $(took "$began")"
for unit in tarsy-ingest-api tarsy-chain-worker@1 tarsy-stage-worker@default; do
    user=$(inside ps -o user= -p "$(pid_of "$unit")")
    [ "$user" = tarsy ] || fail "$unit runs as $user"
done

say "kill -9 of the stage worker amid an alert"
session=$(submit slow)
until_is "its stage runs" sh -c "curl -fsS $api/api/v1/history/sessions/$session | grep -q '\"status\":\"active\"'"
before=$(pid_of tarsy-stage-worker@default)
began=$(now)
inside kill -KILL "$before"
until_is "systemd starts it again" is_another tarsy-stage-worker@default "$before"
say "started again: $(took "$began")"
until_is "the alert is analysed" has_ended "$session"

say "a reload"
before=$(pid_of tarsy-stage-worker@default)
sed -i 's/alert_types: \[PackageInstalled\]/alert_types: [PackageInstalled, PackageUpgraded]/' "$root/etc/tarsy/agents.yaml"
inside systemctl reload tarsy-ingest-api tarsy-chain-worker@1 tarsy-stage-worker@default
until_is "the new alert type is accepted" sh -c "curl -fsS $api/alert-types | grep -q PackageUpgraded"
[ "$(pid_of tarsy-stage-worker@default)" = "$before" ] || fail "the reload restarted the worker"

say "an upgrade amid an alert"
dpkg-deb --raw-extract "$package" "$work/newer"
sed -i 's/^Version: .*/&+newer/' "$work/newer/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$work/newer" "$root/var/tmp/tarsy.deb" > /dev/null
rm -r "$work/newer"
session=$(submit slow)
until_is "its stage runs" sh -c "curl -fsS $api/api/v1/history/sessions/$session | grep -q '\"status\":\"active\"'"
before=$(pid_of tarsy-stage-worker@default)
began=$(now)
inside dpkg -i /var/tmp/tarsy.deb > "$work/dpkg" 2>&1 < /dev/null || { cat "$work/dpkg"; fail "the upgrade failed"; }
is_another tarsy-stage-worker@default "$before" || fail "the old worker still runs"
until_is "the API is ready" inside tarsy probe readyz --url "$api"
say "upgraded: $(took "$began")"
until_is "the alert is analysed" has_ended "$session"
grep -q PackageUpgraded "$root/etc/tarsy/agents.yaml" || fail "the upgrade replaced a changed configuration"
inside dpkg-query --show --showformat='${Version}' tarsy | grep -q newer || fail "the old version is installed"
# Drained, not killed.
crashes=$(curl -fsS "$api/api/v1/history/sessions/$session" | tr ',' '\n' | sed -n 's/.*"crash_count":\([0-9]*\).*/\1/p' | sort -u | tr '\n' ' ')
[ "$crashes" = "0 " ] || fail "crashes of its stage: $crashes"

say "systemctl stop tarsy.target ends each"
inside systemctl stop tarsy.target
until_is "no process is left" has_no_process
say "all of it works"
