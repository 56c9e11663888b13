/**
 * Shares one snapshot among many callers' reads, for servers that handle many requests at once. Not part of the port, because not every
 * store needs it.
 */
export interface SnapshotSharing {
  /**
   * Shares a snapshot for a request that arrived over a socket; call this in the event loop's poll phase. The request is served from the
   * same state as the others in this phase, and that state is no older than any of them.
   */
  shareSnapshot(socket: object): void
  /** Ends the sharing, because other users of the file are waiting for it. The next read sees the newest state. */
  leaveSnapshot(): void
  /** Whether a requested write is not on the disk yet. */
  readonly isWriting: boolean
}
