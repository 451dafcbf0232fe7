#!/bin/sh
# Reports the packages of this machine to Lectern: apt, dnf, yum or apk.
# Needs curl and awk, and in the environment URL (of the server), API_ID and API_KEY (of the host).
# Runs as any user; as root it refreshes the package lists first. Once an hour is enough:
#   17 * * * * URL=https://docs.example.com API_ID=… API_KEY=… sh reporter.sh
# A failed query ends the script before anything is sent, as an empty list would look "fully patched".
# REPORT_ONLY=1 prints the report instead of sending it; NO_REFRESH=1 does not refresh the package lists.
set -eu
export LC_ALL=C
: "${REPORT_ONLY:=}" "${NO_REFRESH:=}"
[ "$(id -u)" -eq 0 ] || NO_REFRESH=1
[ -n "$REPORT_ONLY" ] || : "${URL:?}" "${API_ID:?}" "${API_KEY:?}"
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
TAB=$(printf '\t')
: >"$TMP/have"   # name, version
: >"$TMP/up"     # name, new version, "s" for security
: >"$TMP/repos"  # "#repo", type, address, distribution, components

has() { command -v "$1" >/dev/null 2>&1; }
fail() { echo "reporter: $1" >&2; exit 1; }

with_apt() {
  [ -n "$NO_REFRESH" ] || apt-get update -qq || true
  apt-get -s -o Debug::NoLocking=1 --with-new-pkgs upgrade >"$TMP/sim"
  # Inst name [current] (available origin, origin …); without [current] the package is not installed.
  awk -v OFS='\t' '/^Inst / && $3 ~ /^\[/ {
    origins = $0; sub(/^[^(]*\(/, "", origins); version = origins; sub(/[ )].*/, "", version)
    print $2, version, (tolower(origins) ~ /security/ ? "s" : "") }' "$TMP/sim" >"$TMP/up"
  # apt appends a foreign architecture to the name, libc6:i386; dpkg lists both architectures under one name.
  own=$(dpkg --print-architecture)
  dpkg-query -W -f '${db:Status-Abbrev}\t${Package}\t${Version}\t${Architecture}\n' >"$TMP/all"
  awk -F'\t' -v OFS='\t' -v own="$own" '$1 ~ /^.i/ {
    print $2 ($4 == own || $4 == "all" ? "" : ":" $4), $3 }' "$TMP/all" >"$TMP/have"
  apt-get indextargets --format '#repo'"$TAB"'deb'"$TAB"'$(REPO_URI)'"$TAB"'$(RELEASE)'"$TAB"'$(COMPONENT)' \
    'Created-By: Packages' >"$TMP/targets"
  sort -u "$TMP/targets" >"$TMP/repos"
}

with_dnf() {
  rc=0
  rpm -qa --qf '%{NAME}\t%{EVR}\n' >"$TMP/all"
  awk -F'\t' '$1 != "gpg-pubkey"' "$TMP/all" >"$TMP/have"
  "$1" -q check-update >"$TMP/cu" || rc=$?
  [ "$rc" -eq 0 ] || [ "$rc" -eq 100 ] || fail "$1 check-update ended with $rc"
  # dnf5 treats the word "security" as the name of an advisory, finds none, and succeeds.
  if "$1" --version 2>/dev/null | grep -q dnf5; then kind=--security; other=security
  else kind=security; other=--security; fi
  "$1" -q updateinfo list "$kind" >"$TMP/sec" 2>/dev/null ||
    "$1" -q updateinfo list "$other" >"$TMP/sec" 2>/dev/null || : >"$TMP/sec"
  awk -v OFS='\t' 'FILENAME ~ /sec$/ {
      for (i = 1; i <= NF; i++) if ($i ~ /-[0-9].*\.(noarch|x86_64|aarch64|i686|ppc64le|s390x|armv7hl)$/) {
        name = $i; sub(/-[^-]*-[^-]*$/, "", name); security[name] = 1 }
      next }
    /^Obsoleting/ { exit }
    NF == 3 && $2 ~ /^[0-9].*-/ { name = $1; sub(/\.[^.]*$/, "", name); print name, $2, (name in security ? "s" : "") }
  ' "$TMP/sec" "$TMP/cu" >"$TMP/up"
  "$1" -q -v repolist >"$TMP/rl" 2>/dev/null || "$1" -q repoinfo >"$TMP/rl" 2>/dev/null || : >"$TMP/rl"
  awk -v OFS='\t' '/^Repo(-id| ID) *:/ { id = $NF }
    /^ *(Repo-(baseurl|mirrors|metalink)|Base URL|Mirrors|Mirrorlist|Metalink) *:/ && !(id in seen) {
    seen[id] = 1; sub(/^[^:]*: */, ""); print "#repo", "rpm", $1, id, "" }' "$TMP/rl" >"$TMP/repos"
}

with_apk() {
  [ -n "$NO_REFRESH" ] || apk update -q || true
  apk info -v >"$TMP/all" 2>/dev/null
  apk version -l '<' >"$TMP/cu" 2>/dev/null
  sed -n "s/-\([0-9][^-]*-r[0-9]*\)\$/$TAB\1/p" "$TMP/all" >"$TMP/have"
  sed -n "s/^\(.*\)-[0-9][^-]*-r[0-9]* *< *\([^ ]*\).*\$/\1$TAB\2$TAB/p" "$TMP/cu" >"$TMP/up"
  [ ! -r /etc/apk/repositories ] ||
    awk -v OFS='\t' '/^(https?|ftp):/ { print "#repo", "apk", $1, "", "" }' /etc/apk/repositories >"$TMP/repos"
}

reboot_needed() {
  if [ -e /run/reboot-required ] || [ -e /var/run/reboot-required ]; then echo 1; return; fi
  if has needs-restarting && ! needs-restarting -r >/dev/null 2>&1; then echo 1; return; fi
  echo 0
}

if has apt-get; then with_apt
elif has dnf; then with_dnf dnf
elif has dnf5; then with_dnf dnf5
elif has yum; then with_dnf yum
elif has apk; then with_apk
else fail 'found no apt, dnf, yum or apk'; fi
[ -s "$TMP/have" ] || fail 'the list of packages is empty'

{
  . /etc/os-release
  printf '#osType\t%s\n#osVersion\t%s\n' "${NAME:-Unknown}" "${VERSION:-${VERSION_ID:-}}"
  printf '#hostname\t%s\n#kernelVersion\t%s\n#architecture\t%s\n' "$(uname -n)" "$(uname -r)" "$(uname -m)"
  printf '#agentVersion\treporter.sh\n#needsReboot\t%s\n' "$(reboot_needed)"
  [ ! -r /etc/machine-id ] || printf '#machineId\t%s\n' "$(cat /etc/machine-id)"
  cat "$TMP/repos"
  awk -F'\t' -v OFS='\t' 'FILENAME ~ /up$/ { new[$1] = $2; flag[$1] = $3; next }
    { print $1, $2, ($1 in new ? new[$1] : ""), ($1 in new ? flag[$1] : "") }' "$TMP/up" "$TMP/have"
} >"$TMP/report"

if [ -n "$REPORT_ONLY" ]; then cat "$TMP/report"; exit 0; fi
# curl reads the headers from its standard input, as every user of the machine can read its arguments.
printf 'header = "X-API-%s: %s"\n' ID "$API_ID" KEY "$API_KEY" |
  curl -fsS --retry 3 -K - -H 'Content-Type: text/tab-separated-values' \
    --data-binary @"$TMP/report" "${URL%/}/api/v1/hosts/update"
echo
