/**
 * Shares one snapshot among the reads of many callers, for servers that handle many requests at once. Not part of the port, because not
 * every store needs it.
 */
export interface SnapshotSharing {
  /**
   * Call this when a request arrives over a socket, in the poll phase of the event loop. The request is served from the same state as the
   * others of this phase, and that state is no older than any of them.
   */
  shareSnapshot(socket: object): void
  /** Ends the sharing, because other users of the file wait for it. The next read sees the newest state. */
  leaveSnapshot(): void
  /** Whether a write has been requested that is not on the disk yet. */
  readonly isWriting: boolean
}
