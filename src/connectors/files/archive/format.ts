/** Describes a provider's archive as a table of families: which parts it has, how they are read, and what becomes of their records. */
import type { SuppliedKinds } from '../../../catalogue/supplied-kinds.ts'
import type { Piece } from '../bytes/file-pieces.ts'
import type { ArchiveData } from './data.ts'
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
export interface TableFamily<Data> extends FamilyName {
  readonly read: 'csv'
  /** Returns the names of the columns if a row is the header, otherwise null. By default, the first row is the header. */
  readonly columns: (cells: readonly string[]) => readonly string[] | null
  take(data: Data, row: TableRow): void | Promise<void>
}

/** JSON lists whose elements are records. */
export interface ListFamily<Data> extends FamilyName {
  readonly read: 'json'
  /**
   * The path of the lists, such as `*.summarizedActivitiesExport`; the empty text for a list that is the document, and undefined if each
   * document is a record.
   */
  readonly list: string | undefined
  take(data: Data, element: PartRecord): void | Promise<void>
}

/** Parts that are read as a whole, such as activity files. */
export interface WholeFamily<Data> extends FamilyName {
  readonly read: 'whole'
  take(data: Data, part: ArchivePart): Promise<void>
}

/**
 * Zip files in the archive, whose parts are read like those of the archive, except for further zip files; or attached parts, which records of
 * other parts refer to by their name and which are read with them.
 */
export interface OtherFamily extends FamilyName {
  readonly read: 'zip' | 'attached'
}

export type Family<Data> = SkippedFamily | TableFamily<Data> | ListFamily<Data> | WholeFamily<Data> | OtherFamily

/** A part whose bytes can be read once. */
export interface ArchivePart {
  /** The path in the archive. It may contain personal data, so no message may contain it. */
  readonly path: string
  /** Unpacked size as stated by the archive. */
  readonly sizeBytes: number
  pieces(): AsyncGenerator<Piece>
}

export interface ArchiveFormat<Data extends ArchiveData> {
  readonly format: string
  readonly title: string
  /** Slug of the provider. */
  readonly provider: string
  /** Source type of data that does not say where it comes from. */
  readonly sourceType: string
  readonly kinds: SuppliedKinds
  /** Matches the path of a part, in lower case, that only this format's archives have. */
  readonly mark: RegExp
  /** What collects the data of an archive. */
  readonly data: new (
    run: ArchiveRun,
  ) => Data
  /** The families in the order in which they are read. A part belongs to the first one that matches it. */
  readonly families: readonly Family<Data>[]
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

/** Returns a family of tables. `columns` is that of `TableFamily`. */
export function tables<Data>(
  name: string,
  path: RegExp,
  take: TableFamily<Data>['take'],
  columns: TableFamily<Data>['columns'] = lowerCase,
): TableFamily<Data> {
  return { name, path, read: 'csv', take, columns }
}

/** Returns a family of JSON lists. `within` is the `list` of `ListFamily`. */
export function lists<Data>(name: string, path: RegExp, take: ListFamily<Data>['take'], within = ''): ListFamily<Data> {
  return { name, path, read: 'json', take, list: within }
}

/** Returns families of parts that are not read, of names by reason. `pathOf` returns the pattern of a name. */
export function notRead(
  reasons: Readonly<Record<string, readonly string[]>>,
  pathOf: (name: string) => RegExp = part,
): readonly SkippedFamily[] {
  return Object.entries(reasons).flatMap(([skip, names]) =>
    names.map(name => ({ name: 'file', path: pathOf(name), skip })),
  )
}

/** Returns the names of columns as records are read by them. */
export function lowerCase(cells: readonly string[]): readonly string[] {
  return cells.map(cell => cell.trim().toLowerCase())
}
