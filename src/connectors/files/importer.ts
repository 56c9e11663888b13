/** What an importer is: one file format read as a stream of samples, summaries, workout streams and skipped items. */
import type { UserId } from '../../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import type { EpochMs } from '../../core/time.ts'
import type { ColumnMapping } from './mapped/mapping.ts'

/** Where an import comes from: a regular file (a stream is spooled into one by the caller). */
export interface ImportFile {
  readonly path: string
  readonly sizeBytes: number
}

export type DateOrder = 'dmy' | 'mdy'

export interface ImportContext {
  readonly userId: UserId
  /** The user's fallback zone, for readings without an offset; null: UTC. */
  readonly timeZone: string | null
  readonly now: EpochMs
  readonly signal: AbortSignal | undefined
  /** Called now and then with the bytes read of the file so far and the records seen. */
  readonly onProgress: (bytesRead: number, records: number) => void
  /** Provider slug the caller says the data belong to, or null: the format's own (`manual` where it names none). */
  readonly provider: string | null
  /** Source type the caller says the data have, or null: the format's own (`unknown` where it names none). */
  readonly sourceType: string | null
  /** How a format without a settled order of day and month is read; null: as the whole file settles it. */
  readonly dateOrder: DateOrder | null
  /** For the mapped formats (`csv`, `ndjson`). */
  readonly mapping: ColumnMapping | null
  /**
   * For the formats of items (`svc_items`, `svc_export`), whose summaries come from outside as they are: what is wrong with the
   * document of one, ready to follow its name; undefined when it is of the kind's shape.
   */
  readonly documentProblem: (summary: SummaryRecord) => string | undefined
}

export type ImportItem =
  | { readonly kind: 'samples'; readonly batch: SampleBatch }
  | { readonly kind: 'summary'; readonly summary: SummaryRecord }
  | { readonly kind: 'stream'; readonly stream: StreamRecord }
  /** `count` more records that were not stored, and why (never with a value); `places`: where the first three were. */
  | { readonly kind: 'skipped'; readonly reason: string; readonly count: number; readonly places: readonly string[] }
  /** Last item: how many records the file holds, stored and skipped. */
  | { readonly kind: 'end'; readonly records: number }

export interface Importer {
  /** `apple_health`. */
  readonly format: string
  readonly title: string
  /** Whether the first bytes of a file (up to 4 KiB) look like this format. */
  recognises(head: Uint8Array): boolean
  /**
   * Throws ServiceError `invalid_file` for a file that is damaged or hostile, after having yielded what stands before the
   * damage (it is kept only when the caller asked for that); `usage` when the context lacks what the format needs.
   */
  read(file: ImportFile, context: ImportContext): AsyncIterable<ImportItem>
}
