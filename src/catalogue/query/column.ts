/** Types that describe aggregate queries' tables: the definition of a summary table's column, and the origin of its values. */
import type { SummaryKind } from '../../core/sample.ts'
import { type ColumnKinds, kindColumnName } from '../column-kinds.ts'

/** A column's type. `time` is a floating date-time, and `date` is a calendar date. */
export type ColumnType = 'float' | 'int' | 'text' | 'time' | 'date' | 'bool'

/** The origin of a summary table's column. */
export type ColumnOrigin =
  /** A key of the REST document, or the path to a nested key. Numbers are multiplied by `factor`. */
  | { readonly kind: 'document'; readonly path: readonly string[]; readonly factor: number }
  /** The sum of the keys that are present, multiplied by `factor`; null if none is present. */
  | { readonly kind: 'sum'; readonly paths: readonly (readonly string[])[]; readonly factor: number }
  /** A number as a percentage of another one. Null if either is missing or 0, or if the first one is greater. */
  | { readonly kind: 'share'; readonly part: readonly string[]; readonly whole: readonly string[] }
  /** The first key that has a number. */
  | { readonly kind: 'first'; readonly paths: readonly (readonly string[])[] }
  /** A date-time in the document, in the summary's own local time. */
  | { readonly kind: 'local_time'; readonly path: readonly string[] }
  /** A fixed word if the document has a number at the path; otherwise null. */
  | { readonly kind: 'told'; readonly path: readonly string[]; readonly word: string }
  | { readonly kind: 'record'; readonly field: 'id' | 'date' | 'provider' | 'sourceType' | 'appId' | 'deviceId' }
  /** The time at which the service received the summary, as a UTC instant. */
  | { readonly kind: 'stamp'; readonly field: 'createdAt' | 'updatedAt' }
  /** The index itself. */
  | { readonly kind: 'index' }
  /** What a merge says about a row: null in other queries, which cannot use it. See docs/interface/merging.md#merging-12. */
  | { readonly kind: 'merged'; readonly field: MergedField }
  /** The kind of another column's value. See docs/interface/kinds.md#kinds-5. */
  | { readonly kind: 'kind'; readonly of: ColumnKinds }
  /** A computed value (src/engine/aggregate/scan/readiness.ts). */
  | { readonly kind: 'readiness'; readonly value: ReadinessValue }

/** Fields that only a merged row has. */
export type MergedField = 'role' | 'members' | 'sources' | 'filled_from'

/** Values that derived_readiness computes for a date and source. */
export type ReadinessValue =
  | 'date'
  | 'chronotype'
  | 'sleep_score'
  | 'recovery_score'
  | 'recovery_zone'
  | 'stress_score'
  | 'strain_score'
  | 'strain_zone'
  | 'source_type'
  | 'source_provider'
  | 'source_app_id'
  | 'source_device_id'

export interface QueryColumn {
  readonly name: string
  readonly type: ColumnType
  readonly meaning: string
  readonly origin: ColumnOrigin
}

/** A field of a list's elements: a struct's key, or `element` for a scalar. */
export interface ElementField {
  readonly name: string
  readonly type: ColumnType
  readonly meaning: string
}

/** A column with a list in each row. Only a sub-query can read it. */
export interface ListColumn {
  readonly name: string
  readonly meaning: string
  /** A list of structs has the struct's fields; a list of plain values has the single field `element`. */
  readonly elements: 'struct' | 'scalar'
  readonly fields: readonly ElementField[]
}

/**
 * The meaning of a table's index: the record's time in its own local time (`at`); midnight of its calendar date (`date`); midnight of a
 * date in the document, or of the record's date if the document has none (`document_date`); or the time of its last update in UTC
 * (`updated`).
 */
export type TableIndex =
  | { readonly kind: 'at' | 'date' | 'updated' }
  | { readonly kind: 'document_date'; readonly key: string }

/** A table with one row per summary or, without a summary kind, with rows computed from several summaries. */
export interface SummaryTable {
  readonly name: string
  readonly meaning: string
  /** The kind of summary; null for derived_readiness, whose rows are computed from sleep and activity. */
  readonly summary: SummaryKind | null
  readonly index: TableIndex
  readonly indexMeaning: string
  readonly columns: readonly QueryColumn[]
  readonly lists: readonly ListColumn[]
}

/** Describes a column from the document. `path` has dots for a nested key, and defaults to the column's name. */
export function column(name: string, type: ColumnType, meaning: string, path = name, factor = 1): QueryColumn {
  return { name, type, meaning, origin: { kind: 'document', path: path.split('.'), factor } }
}

/** Describes a floating date-time from the document. */
export function localTime(name: string, meaning: string, path: string): QueryColumn {
  return { name, type: 'time', meaning, origin: { kind: 'local_time', path: path.split('.') } }
}

/** Describes the column that shows the kinds of another one. */
export function kindColumn(of: ColumnKinds): QueryColumn {
  const kinds = [of.usual, ...of.others].map(({ name, meaning }) => `${name} (${meaning})`)
  const meaning = `Kind of ${of.column}: ${kinds.join(', ')}`
  return { name: kindColumnName(of), type: 'text', meaning, origin: { kind: 'kind', of } }
}

/** The columns of merged rows. */
export const MERGED_COLUMNS: readonly QueryColumn[] = [
  merged('members', 'int', 'Number of stored sessions in a merged row'),
  merged('sources', 'text', 'Sources of a merged row, best first'),
  merged('filled_from', 'text', 'Sources of values that the best source lacks, in a merged row'),
]

/** Describes a column that only merged rows have. */
export function merged(field: MergedField, type: ColumnType, meaning: string): QueryColumn {
  return { name: field, type, meaning, origin: { kind: 'merged', field } }
}

/** The four source columns at the end of every summary table. */
export const SOURCE_COLUMNS: readonly QueryColumn[] = [
  { name: 'source_type', type: 'text', meaning: 'Type of the source', origin: { kind: 'record', field: 'sourceType' } },
  { name: 'source_provider', type: 'text', meaning: 'Provider slug', origin: { kind: 'record', field: 'provider' } },
  { name: 'source_app_id', type: 'text', meaning: 'App that recorded it', origin: { kind: 'record', field: 'appId' } },
  { name: 'source_device_id', type: 'text', meaning: 'Device id', origin: { kind: 'record', field: 'deviceId' } },
]
