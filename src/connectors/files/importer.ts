/** The contract of an importer. An importer reads one file format as a stream of samples, summaries, workout streams and skipped items. */
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import type { SuppliedKinds } from '../../catalogue/supplied-kinds.ts'
import type { UserId } from '../../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import type { EpochMs } from '../../core/time.ts'
import type { ColumnMapping } from './mapped/mapping.ts'

/** The file to import. It is a regular file; the caller first writes a stream to such a file. */
export interface ImportFile {
  readonly path: string
  readonly sizeBytes: number
  /** The content, if it was unpacked from an archive into memory. The path is then empty. */
  readonly bytes?: Uint8Array
}

export type DateOrder = 'dmy' | 'mdy'

/** The order of day and month that was used for a file's dates, and why. */
export interface DateOrderChoice {
  readonly order: DateOrder
  /** `file` if a date in the file fits only this order; `given` if the caller chose it. */
  readonly basis: 'file' | 'given'
  /** The first position that fits only this order (`line 12`); null if the file did not determine the order. */
  readonly place: string | null
}

export interface ImportContext {
  readonly userId: UserId
  /** Providers that items may name. */
  readonly providers: ProviderRegistry
  /** The user's fallback zone, for readings without an offset; null means UTC. */
  readonly timeZone: string | null
  readonly now: EpochMs
  readonly signal: AbortSignal | undefined
  /** Called regularly with the number of bytes read so far and the number of records. */
  readonly onProgress: (bytesRead: number, records: number) => void
  /** Provider slug set by the caller, or null for the format's provider (`manual` if it has none). */
  readonly provider: string | null
  /** Source type set by the caller, or null for the format's source type (`unknown` if it has none). */
  readonly sourceType: string | null
  /** Order of day and month, for formats that do not define it; null to determine it from the whole file. */
  readonly dateOrder: DateOrder | null
  /** Mapping, for the mapped formats (`csv`, `ndjson`). */
  readonly mapping: ColumnMapping | null
  /**
   * Returns the problem with a summary's document as a text that follows its name; undefined if the document has the shape of its kind.
   * Used for the item formats (`svc_items`, `svc_export`), whose summaries are stored unchanged.
   */
  readonly documentProblem: (summary: SummaryRecord) => string | undefined
  /** Returns the path for a private file, which does not exist yet. The caller removes the file. */
  readonly scratchFile: () => string
}

/** Settings that determine how a table is read, regardless of its rows' owners. */
export type TableContext = Pick<ImportContext, 'mapping' | 'dateOrder' | 'signal'>

export type ImportItem =
  | { readonly kind: 'samples'; readonly batch: SampleBatch }
  | { readonly kind: 'summary'; readonly summary: SummaryRecord }
  | { readonly kind: 'stream'; readonly stream: StreamRecord }
  /**
   * Another `count` records that were not stored, with the reason, which never contains a value. `places` contains the positions of the
   * first three.
   */
  | { readonly kind: 'skipped'; readonly reason: string; readonly count: number; readonly places: readonly string[] }
  /**
   * How `count` records were read, such as in which time zone, or which of several copies was used. Contains no value. The records are also
   * counted as stored or skipped.
   */
  | { readonly kind: 'notice'; readonly text: string; readonly count: number }
  /** The date order. Yielded at most once, for files whose dates could be read in two orders. */
  | { readonly kind: 'date_order'; readonly choice: DateOrderChoice }
  /** The last item: the number of records in the file, stored and skipped. */
  | { readonly kind: 'end'; readonly records: number }

export interface Importer {
  /** Identifier of the format, such as `apple_health`. */
  readonly format: string
  readonly title: string
  /**
   * The kinds of values that files of this format contain, unless the caller sets a provider or a source type; null if a file can contain
   * any kind.
   */
  readonly kinds: SuppliedKinds | null
  /** The provider of all data in this format; null if the format does not belong to a provider. */
  readonly provider: string | null
  /** Returns whether a file's first bytes (up to 4 KiB) look like this format. */
  recognizes(head: Uint8Array): boolean
  /** Returns whether a zip file with entries of these names is in this format. Absent if no zip file is. */
  recognizesArchive?(names: readonly string[]): boolean
  /** Returns whether a database with these tables is in this format. Absent if no database is. */
  recognizesDatabase?(tables: readonly string[]): boolean
  /** Whether the records before the damage in a damaged file cannot be kept. */
  readonly isWhole?: boolean
  /**
   * Reads a file. Throws ServiceError `invalid_file` for a damaged or hostile file, after yielding the items before the damage (which are
   * kept only if the caller requested it), and ServiceError `usage` if the context lacks something that the format needs.
   */
  read(file: ImportFile, context: ImportContext): AsyncIterable<ImportItem>
  /**
   * Reads the owners of a table's rows from the column that is mapped to `user`. Throws the same errors as `read` before its first item.
   */
  people?(file: ImportFile, context: TableContext): Promise<TablePeople>
}

/** A table with several users' rows. */
export interface TablePeople {
  /** Values of the column for `user`, in order of appearance, with the position of each value's first row. Names are sensitive. */
  readonly people: readonly { readonly name: string; readonly place: string }[]
  /** Numbers of rows without an owner, by reason. */
  readonly skipped: readonly Extract<ImportItem, { readonly kind: 'skipped' }>[]
  /** Returns an importer for one person's rows, which ignores other people's rows. */
  importerFor(name: string): Importer
}
