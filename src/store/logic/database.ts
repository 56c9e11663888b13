/** Defines the interface of a database that runs the logic's transactions. */
import type { ChunkData } from './rows/chunk-data.ts'
import type { Steps } from './steps.ts'

export interface Database {
  /**
   * Runs the transaction durably. If the transaction throws, its changes are undone. A transaction may run again from the start, so its
   * only inputs are the store and its arguments.
   */
  write<T>(transaction: () => Steps<T>): Promise<T>
  /** Does the same for a write that accompanies a call (a count or a stored refusal). The audit trail does not record this write. */
  writeAside<T>(transaction: () => Steps<T>): Promise<T>
  /** Runs the transaction on a single snapshot. */
  read<T>(transaction: () => Steps<T>): Promise<T>
  /** Prepares for a read of many chunks. */
  expectScan(): void
  /**
   * Yields the chunks of a series that begin in [from, to], in order and a few at a time. For databases that can do this faster than page
   * by page. The rows are not verified.
   */
  chunks?(userId: string, seriesId: number, from: number, to: number): AsyncIterable<readonly ChunkData[]>
  /**
   * Returns a number that increases with every change that this handle makes or sees, or null if it cannot be determined without a query. A
   * change by another process is seen within 50 ms.
   */
  changes(): number | null
}

/** Returns a database with different write functions. */
export function withWrites(db: Database, changed: Partial<Pick<Database, 'write' | 'writeAside'>>): Database {
  return {
    read: transaction => db.read(transaction),
    write: transaction => db.write(transaction),
    writeAside: transaction => db.writeAside(transaction),
    expectScan: () => db.expectScan(),
    ...(db.chunks && { chunks: db.chunks.bind(db) }),
    changes: () => db.changes(),
    ...changed,
  }
}
