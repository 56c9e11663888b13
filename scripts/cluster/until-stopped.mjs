/** A command that starts processes, and keeps them until Ctrl-C. */
import { once } from 'node:events'
import { ProcessGroup } from '../../test/kit/postgres/process-group.mjs'
import { Refused } from './arguments.mjs'

/**
 * Calls `start`, and waits for a signal. Then it stops everything gracefully, and after a second signal immediately. `start` gets two
 * functions: `newGroup` creates a group of processes, and `report` prints the end of a process that nobody stopped. Sets the exit code.
 *
 * @param {(tools: {
 *   newGroup: (...args: ConstructorParameters<typeof ProcessGroup>) => ProcessGroup,
 *   report: (process: import('../../test/kit/postgres/process-group.mjs').Member) => void,
 * }) => Promise<void>} start
 */
export async function untilStopped(start) {
  const stopping = new AbortController()
  const stopped = once(stopping.signal, 'abort')
  /** In start order. They stop in reverse order. */
  const groups = []

  function newGroup(name, owner, parent) {
    stopping.signal.throwIfAborted()
    const group = new ProcessGroup(name, owner, parent)
    groups.push(group)
    return group
  }

  function report({ name, pid, ended }) {
    ended.then(() => stopping.signal.aborted || console.error(`${name} (${pid}) has ended.`))
  }

  function onSignal() {
    if (stopping.signal.aborted) for (const group of groups) group.kill()
    else stopping.abort()
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)
  try {
    await Promise.race([start({ newGroup, report }), stopped])
    await stopped
    console.error('Stopping. Press Ctrl-C again to stop at once.')
  } catch (error) {
    process.exitCode = error instanceof Refused ? error.exitCode : 1
    console.error(error instanceof Refused ? error.message : error)
  } finally {
    for (const group of groups.toReversed()) await group.stop()
  }
}

/** Prints names and values as a table. */
export function showFacts(facts) {
  for (const [name, value] of Object.entries(facts)) console.log(`${name.padEnd(12)} ${value}`)
}
