/** Lets the operating system prefer the event loop of the server to its threads for long work. */
import { readlinkSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** A niceness at which a thread still gets about a tenth of a core that others keep busy, so that its transactions end. */
const NICENESS = 10

/**
 * Lowers the priority of the calling worker thread. Only Linux names the thread and gives each its own priority; elsewhere, nothing changes.
 */
export function lowerPriority(): void {
  if (isMainThread || process.platform !== 'linux') return
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS)
  } catch {
    // a sandbox without /proc: threads keep the priority of the process
  }
}

/**
 * Starts the pool of threads that all of the process's file access and compression share. Must run before a thread lowers its priority,
 * because a pool that such a thread starts would inherit it.
 */
export async function startPool(): Promise<void> {
  await access(process.execPath).catch(() => {})
}
