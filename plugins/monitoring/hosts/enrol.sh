# Enrols this machine, or each running container of a Proxmox host, and installs the reporter there.
# Served by GET /api/v1/auto-enrollment/script, which puts URL, KEY, SECRET and TYPE above these lines.
# Runs as root. FRIENDLY_NAME=… sets a name other than the host name.
set -eu
umask 077
: "${FRIENDLY_NAME:=}"
fail() { echo "enrol: $1" >&2; exit 1; }
for tool in curl sed; do command -v "$tool" >/dev/null 2>&1 || fail "$tool is needed"; done
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT

# Escapes a text for JSON.
quoted() { printf '%s' "$1" | tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g'; }
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$TMP/answer"; }
# curl reads the headers from its standard input, as every user of the machine can read its arguments.
header() { printf 'header = "%s: %s"\n' "$1" "$2"; }

# enrol NAME MACHINE_ID: writes the installer of the machine to $TMP/install.
enrol() {
  {
    printf '{"friendly_name":"%s"' "$(quoted "$1")"
    [ -z "$2" ] || printf ',"machine_id":"%s"' "$(quoted "$2")"
    printf '}'
  } >"$TMP/body"
  { header X-Auto-Enrollment-Key "$KEY"; header X-Auto-Enrollment-Secret "$SECRET"; } |
    curl -sS -K - -o "$TMP/answer" -w '%{http_code}' -H 'Content-Type: application/json' \
      --data-binary @"$TMP/body" "$URL/api/v1/auto-enrollment/enroll" >"$TMP/status"
  if [ "$(cat "$TMP/status")" != 201 ]; then
    echo "enrol: $1 was refused: $(cat "$TMP/answer")" >&2
    return 1
  fi
  { header X-API-ID "$(field api_id)"; header X-API-KEY "$(field api_key)"; } |
    curl -fsS -K - -o "$TMP/install" "$URL/api/v1/hosts/install"
}

direct_host() {
  machine=$(cat /etc/machine-id 2>/dev/null || cat /var/lib/dbus/machine-id 2>/dev/null || true)
  enrol "${FRIENDLY_NAME:-$(uname -n)}" "$machine"
  sh "$TMP/install" </dev/null
}

# Containers of one template share its machine id, so the number of the container is put before it.
proxmox_lxc() {
  command -v pct >/dev/null 2>&1 || fail 'pct is needed: run this on a Proxmox host'
  pct list >"$TMP/list"
  failed=0
  for container in $(awk 'NR > 1 && $2 == "running" { print $1 }' "$TMP/list"); do
    name=$(pct exec "$container" -- uname -n </dev/null || echo "container $container")
    machine=$(pct exec "$container" -- cat /etc/machine-id </dev/null 2>/dev/null || true)
    if enrol "$name" "lxc-$container-$machine" && pct exec "$container" -- sh -s <"$TMP/install"
    then echo "enrol: container $container ($name) is enrolled"
    else echo "enrol: container $container ($name) is not enrolled" >&2; failed=1; fi
  done
  return "$failed"
}

case $TYPE in
  direct-host) direct_host ;;
  proxmox-lxc) proxmox_lxc ;;
  *) fail "there is no script for $TYPE" ;;
esac
