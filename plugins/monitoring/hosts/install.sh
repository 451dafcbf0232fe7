# Installs the reporter on this machine: the script, its credentials (readable by root only), and a cron job.
# Served by GET /api/v1/hosts/install, which puts URL, API_ID, API_KEY and SCHEDULE above these lines and inserts the reporter.
# Runs as root. DESTDIR=… installs below another folder, as the current user.
set -eu
umask 077
: "${DESTDIR:=}"
fail() { echo "install: $1" >&2; exit 1; }
[ -n "$DESTDIR" ] || [ "$(id -u)" -eq 0 ] || fail 'run this as root'
for tool in curl awk; do command -v "$tool" >/dev/null 2>&1 || fail "$tool is needed"; done

LIB="$DESTDIR/usr/local/lib/lectern"
BIN="$DESTDIR/usr/local/bin"
CONF="$DESTDIR/etc/lectern-reporter.conf"
COMMAND="$BIN/lectern-report"
(umask 022; mkdir -p "$LIB" "$BIN" "$DESTDIR/etc")

cat >"$LIB/reporter.sh" <<'LECTERN_REPORTER'
#REPORTER#
LECTERN_REPORTER
cat >"$CONF" <<LECTERN_CONF
URL='$URL'
API_ID='$API_ID'
API_KEY='$API_KEY'
LECTERN_CONF
cat >"$COMMAND" <<LECTERN_COMMAND
#!/bin/sh
set -a
. '$CONF'
set +a
exec sh '$LIB/reporter.sh'
LECTERN_COMMAND
chmod 755 "$COMMAND" "$LIB/reporter.sh"

# The schedule: in cron.d where it exists, else in the crontab of BusyBox.
if [ -d "$DESTDIR/etc/cron.d" ]; then
  printf '%s root %s >/dev/null\n' "$SCHEDULE" "$COMMAND" >"$DESTDIR/etc/cron.d/lectern-reporter"
  chmod 644 "$DESTDIR/etc/cron.d/lectern-reporter"
elif [ -d "$DESTDIR/etc/crontabs" ]; then
  TABLE="$DESTDIR/etc/crontabs/root"
  [ ! -f "$TABLE" ] || grep -vF "$COMMAND" "$TABLE" >"$TABLE.new" || true
  printf '%s %s >/dev/null\n' "$SCHEDULE" "$COMMAND" >>"$TABLE.new"
  mv "$TABLE.new" "$TABLE"
else
  echo "install: found no cron; run $COMMAND at the times $SCHEDULE" >&2
fi

"$COMMAND" </dev/null || fail 'the reporter is installed, but its first report failed'
echo 'The reporter is installed and has reported.'
