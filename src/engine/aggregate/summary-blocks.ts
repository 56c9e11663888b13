/** Stored summaries as blocks of the sleep and activity tables, a block a source. */
import type { ColumnOrigin, ColumnType, SummaryTable } from '../../catalogue/query-columns.ts'
import type { UserId } from '../../core/ids.ts'
import { DAY_MS, type EpochMs, formatDate, instantOf, parseDate, parseDateTime } from '../../core/time.ts'
import { zoneOffset } from '../../core/zones.ts'
import type { Store, StoredSummary } from '../../store/port.ts'
import { type Block, type Column, remembered } from './block.ts'
import type { Window } from './calendar.ts'
import type { TextPool } from './text-pool.ts'

type Origin = ColumnOrigin

/** Summaries whose index may lie in the window: a session is listed under a date at most a day from its end. */
export async function* summaryBlocks(
  source: Pick<Store, 'summaries'>,
  user: { readonly userId: UserId; readonly fallbackTimeZone: string | null },
  table: SummaryTable,
  window: Window,
  pool: TextPool,
): AsyncIterable<Block> {
  const range = { fromDate: formatDate(window.from - 2 * DAY_MS), toDate: formatDate(window.to + 2 * DAY_MS) }
  const rows = await source.summaries(user.userId, { kind: table.summary, provider: null, ...range })
  const bySource = new Map<string, StoredSummary[]>()
  for (const row of rows) {
    const key = `${row.provider}\u0000${row.sourceType}`
    const known = bySource.get(key)
    if (known) known.push(row)
    else bySource.set(key, [row])
  }
  for (const group of bySource.values()) yield blockOf(group, table, user.fallbackTimeZone ?? 'UTC', pool)
}

function blockOf(rows: readonly StoredSummary[], table: SummaryTable, zone: string, pool: TextPool): Block {
  const first = rows[0] as StoredSummary
  const shifts = rows.map(row => (row.offset ?? zoneOffset(zone, row.at)) * 1000)
  const local = Float64Array.from(rows, (row, i) =>
    table.index === 'date' ? dateOf(row.date) : row.at + (shifts[i] as number),
  )
  const toNumber = (type: ColumnType, raw: unknown): number => numberOf(type, raw, pool)
  return {
    n: rows.length,
    source: { resource: null, provider: first.provider, sourceType: first.sourceType, type: null },
    local,
    instant: Float64Array.from(rows, row => row.at),
    column: remembered((ref): Column => {
      if (ref.kind === 'index') return local
      if (ref.kind !== 'summary') return new Float64Array(rows.length).fill(Number.NaN)
      const { origin, type } = ref.column
      return Float64Array.from(rows, (row, i) => toNumber(type, rawValue(row, origin, shifts[i] as number)))
    }),
  }
}

function rawValue(row: StoredSummary, origin: Origin, shiftMs: number): unknown {
  switch (origin.kind) {
    case 'record':
      return row[origin.field]
    case 'local_time':
      return localTime(at(row.document, origin.path), shiftMs)
    case 'document': {
      const raw = at(row.document, origin.path)
      return typeof raw === 'number' ? raw * origin.factor : raw
    }
    case 'sum': {
      const there = origin.paths.map(path => at(row.document, path)).filter(raw => typeof raw === 'number')
      return there.length === 0 ? null : there.reduce((sum, each) => sum + each, 0) * origin.factor
    }
  }
}

function at(document: Readonly<Record<string, unknown>>, path: string): unknown {
  let here: unknown = document
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined
    here = (here as Record<string, unknown>)[key]
  }
  return here
}

/** A time written with an offset of its own is local already; one in UTC is shifted by the summary's offset. */
function localTime(raw: unknown, shiftMs: number): number | null {
  const parsed = typeof raw === 'string' ? parseDateTime(raw) : undefined
  if (!parsed) return null
  if (parsed.offset === 'floating' || (typeof parsed.offset === 'number' && parsed.offset !== 0)) return parsed.local
  return instantOf(parsed) + shiftMs
}

/** A value of a document as a number of its column; anything of another type is null. */
function numberOf(type: ColumnType, raw: unknown, pool: TextPool): number {
  switch (type) {
    case 'text':
      return typeof raw === 'string' ? pool.id(raw) : Number.NaN
    case 'bool':
      return typeof raw === 'boolean' ? Number(raw) : Number.NaN
    case 'date':
      return typeof raw === 'string' ? dateOf(raw) : Number.NaN
    case 'int':
      return typeof raw === 'number' ? Math.round(raw) : Number.NaN
    default:
      return typeof raw === 'number' ? raw : Number.NaN
  }
}

function dateOf(text: string): EpochMs {
  return parseDate(text) ?? Number.NaN
}
