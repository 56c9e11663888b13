/** Reads of many callers from one snapshot, for who answers many at once. Part of the port (port.ts). */
export interface SnapshotSharing {
  /**
   * Called as a request comes in over a socket, while sockets are looked at: it is answered from the same state as those that the
   * same look found, which is no older than any of them.
   */
  shareSnapshot(socket: object): void
  /** Ends that: others who use the file wait for it. */
  leaveSnapshot(): void
  /** Whether a write was asked for that is not on the disk yet. */
  readonly isWriting: boolean
}
