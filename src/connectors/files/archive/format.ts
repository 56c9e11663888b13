/** Describes a provider's archive as a table of families: which parts it has, how they are read, and what becomes of their records. */
import type { SuppliedKinds } from '../../../catalogue/supplied-kinds.ts'
import type { Piece } from '../bytes/file-pieces.ts'
import type { PartRecord, TableRow } from './record.ts'
import type { ArchiveRun } from './run.ts'

interface FamilyName {
  /** Name in reasons and positions: `heart_rate`. */
  readonly name: string
  /** Matches the path of a part in lower case, without the number of a copy as in `steps(2).csv`. */
  readonly path: RegExp
}

/** Parts that are not read. Each counts as one record, which is skipped for this reason. */
export interface SkippedFamily extends FamilyName {
  readonly skip: string
}

/** Tables whose rows are records. `take` adds the items of a record to the run, or skips it. */
export interface TableFamily<State> extends FamilyName {
  readonly read: 'csv'
  /** Returns the names of the columns if a row is the header, otherwise null. By default, the first row is the header. */
  readonly columns?: (cells: readonly string[]) => readonly string[] | null
  take(state: State, row: TableRow): void | Promise<void>
}

/** JSON lists whose elements are records. */
export interface ListFamily<State> extends FamilyName {
  readonly read: 'json'
  /**
   * The path of the lists, such as `*.summarizedActivitiesExport`; the empty text for a list that is the document, and undefined if each
   * document is a record.
   */
  readonly list?: string
  take(state: State, element: PartRecord): void | Promise<void>
}

/** Parts that are read as a whole, such as activity files. */
export interface WholeFamily<State> extends FamilyName {
  readonly read: 'whole'
  take(state: State, part: ArchivePart): Promise<void>
}

/** Zip files in the archive. Their parts are read like those of the archive, except for further zip files. */
export interface ZipFamily extends FamilyName {
  readonly read: 'zip'
}

/** Parts that records of other parts refer to by their name, and that are read with them. */
export interface AttachedFamily extends FamilyName {
  readonly read: 'attached'
}

export type Family<State> =
  | SkippedFamily
  | TableFamily<State>
  | ListFamily<State>
  | WholeFamily<State>
  | ZipFamily
  | AttachedFamily

/** A part whose bytes can be read once. */
export interface ArchivePart {
  /** The path in the archive. It may contain personal data, so no message may contain it. */
  readonly path: string
  /** Unpacked size as stated by the archive. */
  readonly sizeBytes: number
  pieces(): AsyncGenerator<Piece>
}

/** What a format collects from its parts. */
export interface ArchiveState {
  /** Adds the items that are complete only after all parts have been read. */
  finish(): void | Promise<void>
}

export interface ArchiveFormat<State extends ArchiveState> {
  readonly format: string
  readonly title: string
  /** Slug of the provider. */
  readonly provider: string
  /** Source type of data that does not say where it comes from. */
  readonly sourceType: string
  readonly kinds: SuppliedKinds
  /** Matches the path of a part, in lower case, that only this format's archives have. */
  readonly mark: RegExp
  /** The families in the order in which they are read. A part belongs to the first one that matches it. */
  readonly families: readonly Family<State>[]
  /** Prepares the import of an archive with these parts. */
  begin(run: ArchiveRun): State
}

/**
 * Returns the pattern of parts with this name in any folder. `DATE` stands for a date, and `*` for any characters but a slash.
 */
export function part(name: string): RegExp {
  const pattern = name
    .replaceAll(/[.+()[\]]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .split('DATE')
    .map(each => each.toLowerCase())
    .join('\\d{4}-\\d{2}-\\d{2}')
  return new RegExp(`(?:^|/)${pattern}$`)
}
