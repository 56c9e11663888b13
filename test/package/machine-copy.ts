/** A copy of this machine's files, in which a test installs packages without changing the machine. It needs root and Linux. */
import { execFileSync } from 'node:child_process'
import { temporaryFolder } from '../kit/folder.ts'
import { run } from './packages.ts'

/** Mounts the copy, which disappears with its last process, and runs a script in it. $1 is an empty folder. */
const START = `
mount -t tmpfs tmpfs "$1"
mkdir "$1/changes" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount -t tmpfs tmpfs "$1/root/tmp"
chmod 1777 "$1/root/tmp"
cp "$2" "$1/root/tmp/svc.deb"
exec chroot "$1/root" /bin/sh -ec "$3"`

/** Runs a script as root in a new copy, with the package at /tmp/svc.deb, and returns its stdout. */
export function inMachineCopy(deb: string, script: string): Promise<string> {
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' }
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', START, 'sh', temporaryFolder(), deb, script]
  return run('unshare', args, env)
}

/** Returns a note for the title of tests that need such a copy; an empty text if it can be made. */
export function withoutMachineCopy(): string {
  return succeeds('unshare', '--mount', 'sh', '-ec', 'mount -t tmpfs tmpfs /mnt; command -v dpkg adduser')
    ? ''
    : ' (skipped: needs root, unshare, dpkg and adduser)'
}

/** Returns a note for the title of tests that need these programs; an empty text if all are installed. */
export function withoutPrograms(...names: readonly string[]): string {
  const missing = names.filter(name => !succeeds('sh', '-c', `command -v ${name}`))
  return missing.length > 0 ? ` (skipped: needs ${missing.join(', ')})` : ''
}

function succeeds(command: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
