/** What an importer is: one file format read as a stream of samples, summaries and skipped items. */
import type { UserId } from '../../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { EpochMs } from '../../core/time.ts'

/** Where an import comes from. A zip needs a file; a stream is spooled into one by the caller. */
export interface ImportFile {
  readonly path: string
  readonly sizeBytes: number
}

export interface ImportContext {
  readonly userId: UserId
  /** The user's fallback zone, for readings without an offset; null: UTC. */
  readonly timeZone: string | null
  readonly now: EpochMs
  readonly signal: AbortSignal | undefined
  /** Called now and then with the bytes read of the file so far and the records seen. */
  readonly onProgress: (bytesRead: number, records: number) => void
}

export type ImportItem =
  | { readonly kind: 'samples'; readonly batch: SampleBatch }
  | { readonly kind: 'summary'; readonly summary: SummaryRecord }
  /** `count` more records that were not stored, and why (never with a value). */
  | { readonly kind: 'skipped'; readonly reason: string; readonly count: number }
  /** Last item: how many records the file holds, stored and skipped. */
  | { readonly kind: 'end'; readonly records: number }

export interface Importer {
  /** `apple_health`. */
  readonly format: string
  readonly title: string
  /** Provider whose connection an import makes when it is absent. */
  readonly provider: string
  /** Whether the first bytes of a file (up to 4 KiB) look like this format. */
  recognises(head: Uint8Array): boolean
  /** Throws ServiceError `invalid_file` for a file that is damaged or hostile; nothing that it yielded is kept then. */
  read(file: ImportFile, context: ImportContext): AsyncIterable<ImportItem>
}
