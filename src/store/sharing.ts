/**
 * Lets many callers read from the same snapshot, for servers that handle many requests at once. Not part of the port, because not every
 * store needs this.
 */
export interface SnapshotSharing {
  /**
   * Lets a request that arrived over a socket use the same snapshot as others. Call this in the event loop's poll phase. All requests in
   * this phase are served from the same state, which is at least as new as every one of them.
   */
  shareSnapshot(socket: object): void
  /** Ends the sharing, because other users of the file are waiting for it. The next read sees the newest state. */
  leaveSnapshot(): void
  /** Whether a requested write is not yet on disk. */
  readonly isWriting: boolean
}
