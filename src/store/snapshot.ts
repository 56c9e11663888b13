/** Copies of the whole store that are made while it is in use. Part of the port (port.ts). */
import type { EpochMs } from '../core/time.ts'

export interface SnapshotStore {
  /**
   * Writes a copy of one moment to a path that is free, for this user alone to read; others read and write meanwhile. The keys of
   * running servers do not work in it. The master key is no part of a store. Throws ServiceError `disk_full` or `data_folder`.
   */
  copyTo(path: string, at: EpochMs): Promise<void>
}
