/** A real file system of a given size, for tests of a full disk. Removed when the test file ends. Linux only. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { atEndOfFile } from './end-of-file.ts'

export const hasSmallDisks = process.platform === 'linux'

/** The file that takes up the space. */
const FILLER = 'filler'
const PIECE_BYTES = 64 * 1024
const PAGE_BYTES = 4096
/** A larger shared-memory folder belongs to the whole machine and is not filled. */
const MOST_SHARED_BYTES = 256 << 20

export interface SmallDisk {
  /** The path of its root for processes that run on it. */
  readonly path: string
  /** The same path for this process. */
  readonly seen: string
  /** Returns the command to spawn instead, so that it sees the disk. */
  on(command: string, args: readonly string[]): readonly [string, readonly string[]]
  /** Takes up all space but this many bytes. */
  fill(leaveBytes?: number): void
  free(): void
  remove(): void
}

/**
 * Mounts a disk in the first way that this machine allows: as root, with sudo, in a separate namespace, or as the small shared memory of a
 * container. Throws if none works, because the tests would then prove nothing about full disks.
 */
export function smallDisk(bytes: number): SmallDisk {
  const disk = mounted([], bytes) ?? mounted(['sudo', '-n'], bytes) ?? inNamespace(bytes) ?? sharedMemory()
  if (disk === undefined) {
    throw new Error(
      'No small file system can be made here. Run the tests as root, with sudo that asks for no password, or where user namespaces are allowed.',
    )
  }
  atEndOfFile(disk.remove)
  return disk
}

function mounted(prefix: readonly string[], bytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-small-disk-'))
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const options = `size=${bytes},uid=${uid},gid=${gid},mode=0700`
  if (run([...prefix, 'mount', '-t', 'tmpfs', '-o', options, 'none', folder])) {
    return diskAt(folder, folder, [], () => {
      // a process that was just killed may still have a file open
      run([...prefix, 'umount', '-l', folder])
      rmSync(folder, { recursive: true, force: true })
    })
  }
  rmSync(folder, { recursive: true, force: true })
  return undefined
}

/** Starts a process that keeps the namespace alive for others to enter. */
function inNamespace(bytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-small-disk-'))
  const script = `mount -t tmpfs -o size=${bytes} none "$0" && touch "$0/ready" && exec sleep 3600`
  const holder: ChildProcess = spawn('unshare', ['--map-root-user', '--mount', '/bin/sh', '-c', script, folder], {
    stdio: 'ignore',
  })
  const seen = `/proc/${holder.pid}/root${folder}`
  const isReady = run([
    '/bin/sh',
    '-c',
    `for i in $(seq 50); do test -e "${seen}/ready" && exit; sleep 0.1; done; exit 1`,
  ])
  if (isReady) {
    const enter = [
      'nsenter',
      '--target',
      `${holder.pid}`,
      '--user',
      '--mount',
      '--preserve-credentials',
      '--wd=.',
      '--',
    ]
    return diskAt(folder, seen, enter, () => {
      holder.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    })
  }
  holder.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  return undefined
}

function sharedMemory(): SmallDisk | undefined {
  try {
    const { blocks, bsize } = statfsSync('/dev/shm')
    if (blocks * bsize > MOST_SHARED_BYTES) return undefined
    const folder = mkdtempSync('/dev/shm/svc-small-disk-')
    return diskAt(folder, folder, [], () => rmSync(folder, { recursive: true, force: true }))
  } catch {
    return undefined
  }
}

function run([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

function fillWith(file: number, piece: Uint8Array): void {
  try {
    for (;;) writeSync(file, piece)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

function diskAt(folder: string, seen: string, enter: readonly string[], remove: () => void): SmallDisk {
  const filler = path.join(seen, FILLER)
  return {
    path: folder,
    seen,
    on(command, args) {
      const [first = command, ...rest] = [...enter, command, ...args]
      return [first, rest]
    },
    fill(leaveBytes = 0) {
      const file = openSync(filler, 'a')
      try {
        for (const bytes of [PIECE_BYTES, PAGE_BYTES]) fillWith(file, Buffer.alloc(bytes))
        if (leaveBytes > 0) ftruncateSync(file, Math.max(0, fstatSync(file).size - leaveBytes))
      } finally {
        closeSync(file)
      }
    },
    free() {
      rmSync(filler, { force: true })
    },
    remove,
  }
}
