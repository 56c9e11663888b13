/** Recognizes errors that are caused by the loss of another machine of a Citus cluster. */

/** A machine of the cluster, as `HOST:PORT`. */
export type Machine = string

/** The Citus message for a connection to another machine that failed. Its code is the one for a connection of our own. */
const REMOTE_NODE = /connection to the remote node (?:\S+@)?(\S+:\d+) failed/

/** The Citus message for a commit whose outcome is unknown, because a machine was lost during it. Its code is the one for internal errors. */
const LOST_COMMIT = /could not commit transaction for shard/

/** Returns whether another machine was lost during the commit. */
export function isCommitLost(error: unknown): boolean {
  return error instanceof Error && LOST_COMMIT.test(error.message)
}

/** Thrown instead of sending a statement to a machine that is down. */
export class MachineDown extends Error {
  readonly machine: Machine

  constructor(machine: Machine) {
    super(`the machine ${machine} is down`)
    this.machine = machine
  }
}

/** Returns the machine to which the server lost its connection, or null for any other error. */
export function lostMachine(error: unknown): Machine | null {
  if (error instanceof MachineDown) return error.machine
  return (error instanceof Error && REMOTE_NODE.exec(error.message)?.[1]) || null
}
