#!/bin/sh
# Stops the server that setup-svc.sh started, and removes its key. Fails if the server has ended before. The log and the data stay.
set -eu
. "$(dirname "$0")/common.sh"

[ -d "$state" ] || fail "There is no folder $state. Run setup-svc.sh first, or set SETUP_SVC_DIR as for setup-svc.sh."
# after a failed start, there is nothing to stop
[ -f "$state/serve.pid" ] || { echo "No svc serve runs in $state."; exit; }
if is_running; then early=; else early=1; fi
pid=$(cat "$state/serve.pid")
rm -f "$state/serve.pid" "$state/serve.json" "$state/env"
[ -z "$early" ] || { show_log; fail 'svc serve ended before it was stopped. The log above says why.'; }
kill "$pid"
# running requests have 30 s
waited=0
while kill -0 "$pid" 2> /dev/null; do
  [ "$waited" -lt 400 ] || { kill -9 "$pid"; show_log; fail 'svc serve did not stop within 40 s and was killed.'; }
  waited=$((waited + 1))
  sleep 0.1
done
echo "svc serve has stopped. Log: $log"
