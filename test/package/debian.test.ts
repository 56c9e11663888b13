/** The Debian package: installed, upgraded and removed in a copy of this machine, and its service, run as systemd runs it. */
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../kit/sandbox.ts'
import { inMachineCopy, withoutMachineCopy, withoutPrograms } from './machine-copy.ts'
import { guideCommands, MB, packageFile, shell } from './packages.ts'

const deb = packageFile('.deb')
const unit = path.join(root, 'scripts/package/debian/svc.service')
const PATH = process.env['PATH'] ?? ''
const MOST_MB = 45
const install = guideCommands()[3]
  ?.replace('sudo ', '')
  .replace(/\S+\.deb/, '/tmp/svc.deb')
  .trim()

/** Runs commands with the user, the variables and the command lines of the unit. */
const SERVICE = `
dpkg -i /tmp/svc.deb > /dev/null
unit=/lib/systemd/system/svc.service
of_unit() { sed -n "s/^$1=//p" "$unit"; }
as_service() {
  exec setpriv --reuid "$(of_unit User)" --regid "$(of_unit Group)" --clear-groups env -i HOME=/var/lib/svc PATH=/usr/bin:/bin \
    "$(of_unit Environment)" SERVE_OPTIONS="$SERVE_OPTIONS --port 0" MAINPID="$MAINPID" sh -c "$1"
}
start() {
  . /etc/default/svc
  install -d -m 700 -o svc -g svc /var/lib/svc
  as_service "exec $(of_unit ExecStart)" > /dev/null 2> /tmp/log &
  MAINPID=$!
  # systemd runs the check after the server has got its user
  while [ "$(stat -c %U "/proc/$MAINPID" 2> /dev/null)" = root ]; do sleep 0.1; done
  (as_service "$(of_unit ExecStartPost)") > /tmp/ready 2> /dev/null
}
stop() { kill "$MAINPID" && wait "$MAINPID"; }
svc_service() { (as_service "svc --profile service $*"); }
`

const noCopy = withoutMachineCopy()
describe.skipIf(noCopy !== '')(`the Debian package${noCopy}`, () => {
  test('installs the program, its manual, completion for three shells, and settings without secrets', async () => {
    const output = await inMachineCopy(
      deb,
      `${install} > /dev/null
      svc --version | cut -d/ -f1
      getent passwd svc | cut -d: -f1,6,7
      systemd-analyze verify svc.service
      man -w svc-user-create
      cd /usr/share
      grep -lE 'complete (bash|zsh|fish) ' bash-completion/completions/svc zsh/vendor-completions/_svc fish/vendor_completions.d/svc.fish
      stat -c '%a %U' /etc/default/svc
      grep -E '^[A-Z]' /etc/default/svc
      dpkg -V svc`,
    )
    expect(output.split('\n')).toEqual([
      'svc',
      'svc:/var/lib/svc:/usr/sbin/nologin',
      '/usr/share/man/man1/svc-user-create.1.gz',
      'bash-completion/completions/svc',
      'zsh/vendor-completions/_svc',
      'fish/vendor_completions.d/svc.fish',
      '600 root',
      'SERVE_OPTIONS="--log-format json"',
      '',
    ])
  })

  test('serves as its own user, is ready when the check ends, and stops with exit code 0', async () => {
    const output = await inMachineCopy(
      deb,
      `${SERVICE}
      start
      cat /tmp/ready
      stat -c %U "/proc/$MAINPID"
      svc_service user create ada --jq .client_user_id
      stop
      echo "stopped: $?"
      find /var/lib/svc ! -user svc -o -perm /077
      grep -c sk_ /tmp/log || true`,
    )
    const [ready = '', ...rest] = output.split('\n')
    expect(JSON.parse(ready).mode).toBe('remote')
    expect(rest).toEqual(['svc', 'ada', 'stopped: 0', '0', ''])
  })

  test('fails to start if the server ends', async () => {
    const script = `${SERVICE}
      echo 'SERVE_OPTIONS="--rate-limit many"' > /etc/default/svc
      start || echo failed
      cat /tmp/log`
    expect(await inMachineCopy(deb, script)).toMatch(/^failed\n[\s\S]*--rate-limit/)
  })

  test('keeps settings and data in an upgrade, and data when it is purged', async () => {
    const output = await inMachineCopy(
      deb,
      `dpkg-deb -R /tmp/svc.deb /tmp/older
      sed -i 's/^Version: .*/Version: 0.0.1/' /tmp/older/DEBIAN/control
      dpkg-deb -Znone -b /tmp/older /tmp/older.deb > /dev/null
      mv /tmp/svc.deb /tmp/newer.deb
      mv /tmp/older.deb /tmp/svc.deb
      ${SERVICE}
      echo 'SERVE_OPTIONS="--rate-limit 7"' > /etc/default/svc
      start
      svc_service user create ada > /dev/null
      stop
      dpkg -i /tmp/newer.deb > /dev/null
      dpkg-query -W -f '\${Version}\\n' svc
      cat /etc/default/svc
      start
      svc_service user list --jq .users[].client_user_id
      stop
      dpkg -r svc > /dev/null
      ls /usr/bin/svc /etc/default/svc 2> /dev/null || true
      dpkg -P svc > /dev/null
      ls /etc/default/svc 2> /dev/null || true
      ls /var/lib/svc/data/svc.db
      id -un svc`,
    )
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    const upgraded = [version.replace('-', '~'), 'SERVE_OPTIONS="--rate-limit 7"', 'ada']
    expect(output.split('\n')).toEqual([...upgraded, '/etc/default/svc', '/var/lib/svc/data/svc.db', 'svc', ''])
  })
})

const noAnalyze = withoutPrograms('systemd-analyze')
test.skipIf(noAnalyze !== '')(`the service has few rights${noAnalyze}`, async () => {
  // an exposure of 2.0 of 10
  await shell(`systemd-analyze security --offline=true --threshold=20 '${unit}'`, { PATH })
})

test('the Debian package is small', () => {
  expect(statSync(deb).size / MB).toBeLessThan(MOST_MB)
})
