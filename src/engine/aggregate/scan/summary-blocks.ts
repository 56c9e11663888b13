/** Reads stored summaries as blocks of their tables, one block per source. */
import type { ColumnKinds } from '../../../catalogue/column-kinds.ts'
import type { SummaryTable } from '../../../catalogue/query/column.ts'
import type { UserId } from '../../../core/ids.ts'
import { present } from '../../../core/present.ts'
import type { SummaryKind } from '../../../core/sample.ts'
import { DAY_MS, formatDate, type IsoDate } from '../../../core/time.ts'
import type { StoredSummary } from '../../../store/sample.ts'
import type { Window } from '../plan/calendar.ts'
import type { ColumnRef } from '../plan/columns.ts'
import { type Block, type BlockColumn, cacheColumns } from './block.ts'
import { columnRowKinds, usedColumnKinds } from './column-kinds.ts'
import { type Hypnograms, readHypnograms } from './hypnograms.ts'
import { readinessBlocks } from './readiness-blocks.ts'
import type { QuerySource } from './source.ts'
import { bySource, SummaryRows } from './summary-rows.ts'
import type { TextPool } from './text-pool.ts'

/**
 * Yields the summaries whose index may be in the window. `refs` contains all columns that the query uses. Hypnograms and baselines are read
 * only if one of these columns needs them.
 */
export async function* summaryBlocks(
  source: Pick<QuerySource, 'summaries'>,
  user: { readonly userId: UserId; readonly fallbackTimeZone: string | null },
  table: SummaryTable,
  window: Window,
  pool: TextPool,
  refs: readonly ColumnRef[],
): AsyncIterable<Block> {
  const zone = user.fallbackTimeZone ?? 'UTC'
  if (table.summary === null) {
    yield* readinessBlocks(source, { userId: user.userId, zone }, window, pool, refs)
    return
  }
  const { rows, hypnograms, kinds } = await readSummaries(source, user, table, table.summary, window, refs)
  for (const part of bySource(rows).values())
    yield buildBlock(new SummaryRows(part, table, zone, pool), hypnograms, kinds, pool)
}

/** Stored summaries with what a query reads beside them. */
export interface SummaryReading {
  readonly rows: readonly StoredSummary[]
  /** Null if no column needs them. */
  readonly hypnograms: Hypnograms | null
  /** Zone of rows without an offset. */
  readonly zone: string
  /** The kinds of a column that the query uses; null if no such column has several. */
  readonly kinds: ColumnKinds | null
}

/** Reads the summaries whose index may be in the window. */
export async function readSummaries(
  source: Pick<QuerySource, 'summaries'>,
  { userId, fallbackTimeZone }: { readonly userId: UserId; readonly fallbackTimeZone: string | null },
  table: SummaryTable,
  kind: SummaryKind,
  window: Window,
  refs: readonly ColumnRef[],
): Promise<SummaryReading> {
  const range = dateRange(table, window)
  const rows = await source.summaries.list(userId, { kind, provider: null, ...range })
  const hypnograms = refs.some(ref => ref.kind === 'macro' && ref.macro.hypnogram)
    ? await readHypnograms(source, userId, range)
    : null
  return { rows, hypnograms, zone: fallbackTimeZone ?? 'UTC', kinds: usedColumnKinds(table.name, refs) }
}

/**
 * Returns the range of dates to read. A session is listed under a date at most one day from its index. Profiles are listed under the day on
 * which they were first reported, and cycles are not always listed under their first date. There are few of either, so all of them are
 * read.
 */
function dateRange({ index }: SummaryTable, window: Window): { readonly fromDate: IsoDate; readonly toDate: IsoDate } {
  if (index.kind === 'updated' || index.kind === 'document_date')
    return { fromDate: '0001-01-01', toDate: '9999-12-31' }
  return { fromDate: formatDate(window.from - 2 * DAY_MS), toDate: formatDate(window.to + 2 * DAY_MS) }
}

export function buildBlock(
  summaries: SummaryRows,
  hypnograms: Hypnograms | null,
  kinds: ColumnKinds | null,
  pool: TextPool,
): Block {
  const { rows, local, instant } = summaries
  const { provider, sourceType } = present(rows[0], 'a summary of a block')
  return {
    n: rows.length,
    source: { resource: null, provider, sourceType, type: null },
    local,
    instant,
    summaries: rows,
    ...(kinds && { kinds: () => columnRowKinds(kinds, rows, summaries.named(kinds.column)) }),
    column: cacheColumns((ref): BlockColumn => {
      switch (ref.kind) {
        case 'index':
          return local
        case 'summary':
          return summaries.cells(ref.column)
        case 'macro':
          return summaries.macro(ref.macro, hypnograms)
        case 'list':
          return Float64Array.from(rows, ({ document }) => {
            const list = document[ref.list.name]
            return ref.fold(Array.isArray(list) ? list : [], pool)
          })
        default:
          throw new Error('a summary table has no sample columns')
      }
    }),
  }
}
