#!/bin/sh
# Proves a Debian package in a root of its own: what it installs, its user, its units, an alert to its analysis, removal and purge.
#
#   mmdebstrap --variant=minbase --include=ca-certificates,systemd,procps bookworm ROOT
#   DATABASE_URL=postgres://.. tests/deploy/deb.sh PACKAGE ROOT
#
# As root. The database is empty; the root has the network of this machine, so that DATABASE_URL leads to the same server. There is no
# systemd in it that runs units: what a unit runs is taken from its file and run as its user.
set -eu

package=$1
root=$2
here=$(dirname "$0")
work=$(mktemp -d)
pids=

in_root() { chroot "$root" "$@"; }
say() { printf '%s\n' "--> $*"; }
fail() { printf '%s\n' "error: $*" >&2; exit 1; }
ended() {
    # Those that were started here, each by its id.
    for pid in $pids; do kill "$pid" 2>/dev/null || true; done
    wait
    for folder in proc dev; do umount "$root/$folder" 2>/dev/null || true; done
    rm -rf "$work"
}
trap ended EXIT
trap 'exit 1' INT TERM

# Every path but those that a running system writes by itself.
listing() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./run \) -prune -o -print | sort); }

# Runs what a unit runs, as its user, in the environment that its files give.
run_unit() {
    unit=$1 instance=$2 key=$3
    file="$root/usr/lib/systemd/system/$unit"
    sed "s/%i/$instance/g" "$file" > "$work/$unit"
    user=$(sed -n 's/^User=//p' "$work/$unit")
    set -- env -i
    for from in $(sed -n 's/^EnvironmentFile=-\{0,1\}//p' "$work/$unit"); do
        [ -f "$root$from" ] || continue
        while IFS= read -r line; do
            value=${line#*=} value=${value#\'} value=${value%\'}
            case $line in '#'* | '') ;; *) set -- "$@" "${line%%=*}=$value" ;; esac
        done < "$root$from"
    done
    for pair in $(sed -n 's/^Environment=//p' "$work/$unit"); do set -- "$@" "$pair"; done
    for word in $(sed -n "s/^$key=//p" "$work/$unit"); do set -- "$@" "$word"; done
    exec chroot --userspec="$user:$user" "$root" "$@"
}

for folder in proc dev; do mount --bind "/$folder" "$root/$folder"; done
listing > "$work/before"

say "dpkg -i"
cp "$package" "$root/tmp/tarsy.deb"
in_root dpkg -i /tmp/tarsy.deb > "$work/dpkg" 2>&1 || { cat "$work/dpkg"; fail "the package can't be installed"; }
rm "$root/tmp/tarsy.deb"
in_root dpkg --audit | grep . && fail "dpkg --audit has something to say"
in_root dpkg --verify tarsy > "$work/verify" || true
# What dpkg gave other permissions to, postinst did.
grep -v ' c /etc/tarsy/' "$work/verify" && fail "installed files differ from the package"
in_root id tarsy
[ "$(in_root stat -c %U:%G:%a /etc/tarsy/tarsy.env)" = root:tarsy:640 ] || fail "tarsy.env is readable by others"
[ "$(in_root stat -c %U:%a /var/lib/tarsy)" = tarsy:700 ] || fail "/var/lib/tarsy is not the fleet's own"

say "systemd-analyze verify"
in_root systemd-analyze verify --man=no tarsy.target tarsy-migrate.service tarsy-ingest-api.service \
    tarsy-chain-worker@1.service tarsy-stage-worker@default.service > "$work/units" 2>&1 || { cat "$work/units"; fail "a unit is wrong"; }
grep -i tarsy "$work/units" && fail "a unit has a mistake"
in_root systemctl enable tarsy-migrate tarsy-ingest-api tarsy-chain-worker@1 tarsy-stage-worker@default tarsy.target 2>&1

say "settings and a scripted model"
cat >> "$root/etc/tarsy/tarsy.env" <<END
DATABASE_URL='$DATABASE_URL?sslmode=prefer&application_name=package'
TARSY_LISTEN='127.0.0.1:18321'
TARSY_OPS_LISTEN='off'
END
say "the server of the Kubernetes agent starts"
cat > "$root/etc/tarsy/kubeconfig" <<'END'
{apiVersion: v1, kind: Config, current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}],
 clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}], users: [{name: u, user: {token: t}}]}
END
in_root env AGENT_CONFIG_FILE=/etc/tarsy/agents.yaml KUBECONFIG=/etc/tarsy/kubeconfig tarsy tools KubernetesAgent > "$work/tools" || { cat "$work/tools"; fail "the Kubernetes server does not start"; }
grep namespaces_list "$work/tools" || fail "the Kubernetes server lists no namespaces"
cp "$here/deb/agents.yaml" "$here/deb/script.yaml" "$root/etc/tarsy/"
in_root env AGENT_CONFIG_FILE=/etc/tarsy/agents.yaml tarsy check-config
in_root sh -c 'set -a; . /etc/tarsy/tarsy.env; exec tarsy migrate --check' && fail "the database is not empty"

say "what the units run, as their user"
(run_unit tarsy-migrate.service "" ExecStart)
(run_unit tarsy-ingest-api.service "" ExecStartPre)
run_unit tarsy-ingest-api.service '' ExecStart > "$work/api" 2>&1 & pids="$pids $!"
run_unit tarsy-chain-worker@.service 1 ExecStart > "$work/chain" 2>&1 & pids="$pids $!"
run_unit tarsy-stage-worker@.service default ExecStart > "$work/stage" 2>&1 & pids="$pids $!"
for _ in $(seq 100); do
    in_root tarsy probe readyz --url http://127.0.0.1:18321 > /dev/null 2>&1 && break
    sleep 0.2
done
in_root tarsy probe readyz --url http://127.0.0.1:18321 || { cat "$work/api"; fail "the API is not ready"; }
ps -o uid=,args= -C tarsy

say "an alert to its analysis"
printf '%s' '{"alert_type": "PackageInstalled", "runbook": "local:namespace-terminating", "severity": "warning", "data": {"host": "here"}}' > "$root/tmp/alert.json"
in_root tarsy --url http://127.0.0.1:18321 submit /tmp/alert.json --wait > "$work/analysis" || { cat "$work/analysis" "$work/stage"; fail "the alert was not analysed"; }
rm "$root/tmp/alert.json"
cat "$work/analysis"
grep -q 'The package works' "$work/analysis" || fail "another analysis than the script's"
in_root tarsy probe readyz --url http://127.0.0.1:18321 > /dev/null
screen=$(curl -fsS http://127.0.0.1:18321/dashboard/)
printf '%s' "$screen" | grep -q '<html' || fail "the dashboard is not served"

say "SIGTERM ends each"
for pid in $pids; do kill "$pid"; done
for pid in $pids; do wait "$pid" || fail "a process did not end well"; done
pids=

say "dpkg --remove keeps the configuration"
in_root dpkg --remove tarsy > "$work/dpkg" 2>&1 || { cat "$work/dpkg"; fail "the package can't be removed"; }
[ -f "$root/etc/tarsy/tarsy.env" ] || fail "removing took the configuration"
[ ! -e "$root/usr/bin/tarsy" ] || fail "removing left the program"

say "dpkg --purge leaves"
in_root dpkg --purge tarsy > "$work/dpkg" 2>&1 || { cat "$work/dpkg"; fail "the package can't be purged"; }
listing > "$work/after"
diff "$work/before" "$work/after" | grep '^[<>]' > "$work/left" || true
cat "$work/left"
# Backups of the account files and dpkg's own; nothing else.
grep -v -e ' \./etc/\(passwd\|group\|shadow\|gshadow\)-$' -e ' \./var/lib/dpkg/' -e ' \./var/log/dpkg\.log$' -e ' \./etc/\.pwd\.lock$' "$work/left" && fail "purging left something"
say "and the user tarsy, as Debian does: $(in_root id tarsy)"
