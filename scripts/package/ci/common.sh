# Shared by setup-svc.sh and stop-svc.sh: the folder of the server, and messages for a GitHub runner or a plain shell.

# the runner's folder for temporary files is empty in every job
state=${SETUP_SVC_DIR:-${RUNNER_TEMP:-$PWD}/setup-svc}
log=$state/serve.log

is_github() { [ "${GITHUB_ACTIONS:-}" = true ]; }

# One line: a runner ends a message at a line break, unless it is encoded.
fail() {
  if is_github; then
    printf '::error title=svc::%s\n' "$(printf %s "$1" | sed 's/%/%25/g' | awk 'NR > 1 { printf "%%0A" } { printf "%s", $0 }')"
  else
    printf 'Error: %s\n' "$1" >&2
  fi
  exit 1
}

show_log() {
  [ -s "$log" ] || return 0
  printf 'Last lines of %s:\n' "$log" >&2
  tail -n 50 "$log" >&2
}

# Whether the recorded process still runs, and is svc serve: the system may have given its ID to another process.
is_running() {
  pid=$(cat "$state/serve.pid" 2> /dev/null) || return 1
  # small images have no ps
  if [ -d /proc/self ]; then line=$(tr '\0' ' ' 2> /dev/null < "/proc/$pid/cmdline" || true); else line=$(ps -p "$pid" -o args= || true); fi
  case $line in *' serve '*) true ;; *) false ;; esac
}
