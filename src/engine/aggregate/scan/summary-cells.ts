/** Reads the cells of summary tables. How to read a column is decided once for all rows. */
import type { ColumnType, MergedField, QueryColumn } from '../../../catalogue/query/column.ts'
import { type EpochMs, parseDateTime, SECOND_MS, toInstant } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { StoredSummary } from '../../../store/sample.ts'
import { dateCell, encodeCell, numberCell } from './cell.ts'
import { kindOfRow, type ValueOrigin } from './column-kinds.ts'
import type { TextPool } from './text-pool.ts'

type Path = readonly string[]
type Document = StoredSummary['document']

/** A stored summary, or what a merge made of several. */
export interface QuerySummary extends StoredSummary, ValueOrigin {
  /** Absent for a stored summary. */
  readonly merged?: MergedValues
}

export type MergedValues = Readonly<Record<MergedField, string | number | null>>

/** Returns a column's number in a row. `local` is the row's index. */
export type CellReader = (row: QuerySummary, local: EpochMs) => number

/**
 * Returns a column's reader, so that the column's origin is checked only once, not for each row. `zone` applies to rows without an offset.
 */
export function cellReader({ origin, type }: QueryColumn, zone: string, pool: TextPool): CellReader {
  switch (origin.kind) {
    case 'index':
      return (_row, local) => local
    case 'record': {
      const { field } = origin
      if (field === 'date') return row => dateCell(row.date)
      return row => {
        const text = row[field]
        return text === null ? Number.NaN : pool.id(text)
      }
    }
    case 'stamp': {
      const { field } = origin
      return row => row[field]
    }
    case 'local_time': {
      const at = valueAt(origin.path)
      return row => localTime(at(row.document), row.offset, zone)
    }
    case 'told': {
      const at = valueAt(origin.path)
      return row => (typeof at(row.document) === 'number' ? pool.id(origin.word) : Number.NaN)
    }
    case 'first': {
      const readers = origin.paths.map(valueAt)
      return ({ document }) => {
        const found = readers.map(at => at(document)).find(raw => typeof raw === 'number')
        return found === undefined ? Number.NaN : (found as number)
      }
    }
    case 'merged': {
      const { field } = origin
      return ({ merged }) => {
        const value = merged?.[field] ?? null
        return typeof value === 'string' ? pool.id(value) : (value ?? Number.NaN)
      }
    }
    case 'kind': {
      const { of } = origin
      return row => pool.id(kindOfRow(of, row))
    }
    case 'sum':
      return sumReader(origin.paths, origin.factor, type)
    case 'share': {
      const [part, whole] = [valueAt(origin.part), valueAt(origin.whole)]
      return ({ document }) => percentage(part(document), whole(document))
    }
    case 'document':
      return documentReader(valueAt(origin.path), origin.factor, type, pool)
    case 'readiness':
      throw new Error('readiness is not a cell of a summary')
  }
}

function documentReader(
  at: (document: Document) => unknown,
  factor: number,
  type: ColumnType,
  pool: TextPool,
): CellReader {
  if (type !== 'float' && type !== 'int') return row => encodeCell(type, at(row.document), pool)
  return row => {
    const raw = at(row.document)
    return typeof raw === 'number' ? numberCell(type, raw * factor) : Number.NaN
  }
}

function sumReader(paths: readonly Path[], factor: number, type: ColumnType): CellReader {
  const parts = paths.map(valueAt)
  return row => {
    let sum = Number.NaN
    for (const at of parts) {
      const raw = at(row.document)
      if (typeof raw === 'number') sum = (Number.isNaN(sum) ? 0 : sum) + raw
    }
    return numberCell(type, sum * factor)
  }
}

function percentage(part: unknown, whole: unknown): number {
  if (typeof part !== 'number' || typeof whole !== 'number') return Number.NaN
  // providers that do not report a duration have 0
  return part > 0 && part <= whole ? (part / whole) * 100 : Number.NaN
}

function valueAt(path: Path): (document: Document) => unknown {
  const [first, ...rest] = path as [string, ...string[]]
  if (rest.length === 0) return document => document[first]
  return document => {
    let here = document[first]
    for (const key of rest) {
      if (typeof here !== 'object' || here === null) return undefined
      here = (here as Record<string, unknown>)[key]
    }
    return here
  }
}

/** Returns a local time. A time with its own offset is already local. A time in UTC is shifted by the summary's offset. */
function localTime(raw: unknown, offset: number | null, zone: string): number {
  const parsed = typeof raw === 'string' ? parseDateTime(raw) : undefined
  if (!parsed) return Number.NaN
  if (parsed.offset === 'floating' || (typeof parsed.offset === 'number' && parsed.offset !== 0)) return parsed.local
  const instant = toInstant(parsed)
  // each end of a session uses the zone's offset at that moment, because a clock change may be in between
  return instant + (offset ?? zoneOffset(zone, instant)) * SECOND_MS
}
