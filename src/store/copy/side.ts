/** Defines the methods that a copy uses on its two stores. */
import type { Database } from '../logic/database.ts'
import type { Steps } from '../logic/steps.ts'

/** A store that takes part in a copy. */
export interface CopySide {
  /** The store's folder, or its URL without the password. */
  readonly shown: string
  readonly storeId: string
  close(): Promise<void>
}

/** The source store. */
export interface CopySource extends CopySide {
  /** Runs a transaction on the state at the time of opening or of the last `refresh`. */
  read<T>(transaction: () => Steps<T>): Promise<T>
  /** Lets later reads see the newest state. */
  refresh(): Promise<void>
  /** Runs a transaction that changes the store. */
  write<T>(transaction: () => Steps<T>): Promise<T>
}

/** The target store. */
export interface CopyTarget extends CopySide {
  readonly db: Database
  /** Called once, after all rows have been copied. */
  settle(): Promise<void>
}

/** A copy's progress. All values except the phase count from the beginning of the copy, across interruptions. */
export interface CopyProgress {
  readonly phase: 'copying' | 'comparing'
  readonly table: string
  readonly rows: number
  readonly totalRows: number
  readonly bytes: number
}

export interface CopyReport {
  /** Folder, or URL without the password. */
  readonly from: string
  readonly to: string
  readonly users: number
  readonly samples: number
  readonly events: number
  readonly rows: number
  /** Number of bytes of samples, documents and other large values. */
  readonly bytes: number
  /** Duration of this run in seconds. */
  readonly seconds: number
  /** Whether an earlier run was interrupted. */
  readonly isContinued: boolean
}
