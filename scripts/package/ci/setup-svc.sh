#!/bin/sh
# Installs svc, starts svc serve in the background, and waits until it is ready. Settings, all optional:
#   SETUP_SVC_PATH      package (.tgz) or executable to install
#   SETUP_SVC_VERSION   version to download from SETUP_SVC_RELEASES; without these two, svc on the PATH is used
#   SETUP_SVC_RELEASES  URL that is followed by /vVERSION/svc-VERSION.tgz
#   SETUP_SVC_CLOCK     time at which the engine's clock is frozen
#   SETUP_SVC_SEED      shell script whose svc commands create the data
#   SETUP_SVC_PORT      port to listen on; 0, the default, picks a free one
#   SETUP_SVC_DIR       folder for the log, the data and the key
#   SVC_DATA_DIR        data folder, if it is not below SETUP_SVC_DIR
# On a GitHub runner, the outputs are url and api-key. Elsewhere, `. FOLDER/env` sets SERVICE_URL, SERVICE_API_KEY and the PATH.
set -eu
. "$(dirname "$0")/common.sh"
umask 077

ready_s=120
port=${SETUP_SVC_PORT:-0}
path=${SETUP_SVC_PATH:-}
version=${SETUP_SVC_VERSION:-}
bin=$state/bin

if is_running; then fail "svc serve already runs in $state. Run stop-svc.sh first, or choose another folder with SETUP_SVC_DIR."; fi
[ -z "$path" ] || [ -z "$version" ] || fail 'Set either a version or a path, not both.'
mkdir -p "$bin"
: > "$log"

if [ -n "$version" ]; then
  [ -n "${SETUP_SVC_RELEASES:-}" ] || fail 'A version needs SETUP_SVC_RELEASES, the URL of the releases. Or set SETUP_SVC_PATH to a package.'
  version=${version#v}
  url=$SETUP_SVC_RELEASES/v$version/svc-$version.tgz
  path=$state/svc-$version.tgz
  curl -fsSL --retry 3 -o "$path" "$url" 2>> "$log" ||
    fail "svc $version could not be downloaded from $url ($(tail -n 1 "$log")). Choose a version that has been released, or set a path."
fi
case $path in
  '') command -v svc > /dev/null || fail 'There is no svc on the PATH. Set a version, or the path of a package (.tgz) or of an executable.' ;;
  *.tgz)
    [ -f "$path" ] || fail "The package $path does not exist. Create it with npm pack."
    command -v npm > /dev/null || fail "npm is needed to install $path. Install Node 20 or newer first."
    npm install --global --prefix "$state" --no-audit --no-fund "$path" >> "$log" 2>&1 ||
      { show_log; fail "The package $path could not be installed. The log above says why."; }
    ;;
  *)
    [ -f "$path" ] && [ -x "$path" ] || fail "$path is not a package (.tgz), and not a file that can be executed."
    ln -sf "$(cd "$(dirname "$path")" && pwd)/$(basename "$path")" "$bin/svc"
    ;;
esac

PATH=$bin:$PATH
SVC_DATA_DIR=${SVC_DATA_DIR:-$state/data}
SVC_NO_INPUT=1
export PATH SVC_DATA_DIR SVC_NO_INPUT

if [ -n "${SETUP_SVC_CLOCK:-}" ]; then
  svc engine clock freeze "$SETUP_SVC_CLOCK" >> "$log" 2>&1 ||
    { show_log; fail "The clock could not be set to $SETUP_SVC_CLOCK. Use a time such as 2026-11-20T08:30:00Z."; }
fi
if [ -n "${SETUP_SVC_SEED:-}" ]; then
  [ -f "$SETUP_SVC_SEED" ] || fail "The seed file $SETUP_SVC_SEED does not exist. Use a shell script with svc commands."
  sh -eu "$SETUP_SVC_SEED" >> "$log" 2>&1 || { show_log; fail "The seed file $SETUP_SVC_SEED failed. The log above says why."; }
fi

# a session of its own, so that the server outlives the step
session=$(command -v setsid || command -v nohup)
rm -f "$state/serve.json"
"$session" svc serve --port "$port" --json > "$state/serve.json" 2>> "$log" < /dev/null &
server=$!
echo "$server" > "$state/serve.pid"
waited=0
until [ -s "$state/serve.json" ]; do
  kill -0 "$server" 2> /dev/null || { rm "$state/serve.pid"; show_log; fail "svc serve did not start on port $port. The log above says why."; }
  [ "$waited" -lt $((ready_s * 10)) ] || { kill "$server"; rm "$state/serve.pid"; show_log; fail "svc serve was not ready after $ready_s s."; }
  waited=$((waited + 1))
  sleep 0.1
done

url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$state/serve.json")
key=$(sed -n 's/.*"api_key":"\([^"]*\)".*/\1/p' "$state/serve.json")
if is_github; then
  # before the key is written anywhere
  echo "::add-mask::$key"
  printf 'url=%s\napi-key=%s\n' "$url" "$key" >> "$GITHUB_OUTPUT"
  printf 'SVC_DATA_DIR=%s\n' "$SVC_DATA_DIR" >> "$GITHUB_ENV"
  printf '%s\n' "$bin" >> "$GITHUB_PATH"
else
  cat > "$state/env" << END
export SERVICE_URL='$url' SERVICE_API_KEY='$key'
export SVC_DATA_DIR='$SVC_DATA_DIR' PATH='$bin':"\$PATH"
END
fi
echo "$(svc --version) listens on $url. Log: $log"
