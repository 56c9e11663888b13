/** Gives the server's event loop priority over its threads for long work. */
import { readlinkSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Niceness of the threads. On a core that is otherwise busy, such a thread still gets about a tenth of the time, so transactions end. */
const NICENESS = 10

/**
 * Lowers the priority of the calling worker thread. Has an effect only on Linux, where each thread has its own priority.
 */
export function lowerPriority(): void {
  if (isMainThread || process.platform !== 'linux') return
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS)
  } catch {
    // without /proc or the permission, for example in a sandbox, the thread keeps its priority
  }
}

/**
 * Starts the process's thread pool for file access and compression. Must run before a thread lowers its priority, because a pool that is
 * started by such a thread inherits the lower priority.
 */
export async function startPool(): Promise<void> {
  await access(process.execPath).catch(() => {})
}
