/**
 * Presents one source's stored summaries as columns: their index, cells and value macros. Indexed reads are unchecked (`as number`) because
 * the loops are hot and the indices are always in range.
 */

import type { QueryColumn, SummaryTable } from '../../../catalogue/query/column.ts'
import type { ValueMacro } from '../../../catalogue/query/macros.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { present } from '../../../core/present.ts'
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { StoredSummary } from '../../../store/sample.ts'
import type { BlockColumn } from './block.ts'
import { dateCell } from './cell.ts'
import type { Hypnograms } from './hypnograms.ts'
import { asleepAt, awakeAt, awakenings, chronotype, type NightFigures, sleepScore } from './macros.ts'
import { cellReader, type QuerySummary } from './summary-cells.ts'
import type { TextPool } from './text-pool.ts'

/** Splits summaries by provider and source type, and keeps the original order within each part. */
export function bySource<T extends StoredSummary>(rows: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const parts = new Map<string, T[]>()
  let [provider, sourceType]: (string | null)[] = [null, null]
  let part: T[] = []
  for (const row of rows) {
    // neighbouring rows usually have the same source
    if (row.provider !== provider || row.sourceType !== sourceType) {
      ;({ provider, sourceType } = row)
      const key = `${provider}\u0000${sourceType}`
      part = parts.get(key) ?? []
      parts.set(key, part)
    }
    part.push(row)
  }
  return parts
}

export class SummaryRows {
  readonly rows: readonly QuerySummary[]
  /** The index, in floating time. */
  readonly local: BlockColumn
  /** The exact instant, for ordering rows with equal floating times. */
  readonly instant: BlockColumn
  private readonly table: SummaryTable
  private readonly zone: string
  private readonly pool: TextPool
  private readonly made = new Map<string, BlockColumn>()

  constructor(rows: readonly QuerySummary[], table: SummaryTable, zone: string, pool: TextPool) {
    this.rows = rows
    this.table = table
    this.pool = pool
    this.zone = zone
    this.local = this.each(i => rowIndex(this.row(i), table, zone))
    this.instant = this.each(i => (table.index.kind === 'updated' ? this.row(i).updatedAt : this.row(i).at))
  }

  cells(column: QueryColumn): BlockColumn {
    return getOrInsert(this.made, column.name, () => {
      const read = cellReader(column, this.zone, this.pool)
      return this.each(i => read(this.row(i), this.local[i] as number))
    })
  }

  /** Returns the cells of the table's column with this name. */
  named(name: string): BlockColumn {
    return this.cells(
      present(
        this.table.columns.find(each => each.name === name),
        'a column of the table',
      ),
    )
  }

  /** Returns a macro's value for each row of the sleep table. `hypnograms` may be null for a macro that does not need hypnograms. */
  macro({ name }: ValueMacro, hypnograms: Hypnograms | null): BlockColumn {
    return getOrInsert(this.made, `macro ${name}`, () => this.macroCells(name, hypnograms))
  }

  private macroCells(name: ValueMacro['name'], hypnograms: Hypnograms | null): BlockColumn {
    const start = this.named('session_start')
    switch (name) {
      case 'sleep_score': {
        const figures = this.figures()
        return this.each(i => sleepScore(figures(i)))
      }
      case 'chronotype': {
        const end = this.named('session_end')
        return this.each(i => {
          const type = chronotype(start[i] as number, end[i] as number)
          return type === null ? Number.NaN : this.pool.id(type)
        })
      }
      case 'asleep_at': {
        const latency = this.named('latency_second')
        return this.each(i => asleepAt(start[i] as number, latency[i] as number))
      }
      case 'awake_at':
        return this.each(i => awakeAt(start[i] as number, hypnograms?.(this.row(i))))
      case 'awakenings':
        return this.each(i => awakenings(hypnograms?.(this.row(i))))
    }
  }

  private figures(): (row: number) => NightFigures {
    const [asleep, efficiency, deep, rem, latency] = [
      'stage_asleep_second',
      'efficiency',
      'stage_deep_second',
      'stage_rem_second',
      'latency_second',
    ].map(name => this.named(name)) as [BlockColumn, BlockColumn, BlockColumn, BlockColumn, BlockColumn]
    return row => ({
      asleep: asleep[row] as number,
      efficiency: efficiency[row] as number,
      deep: deep[row] as number,
      rem: rem[row] as number,
      latency: latency[row] as number,
    })
  }

  private each(cell: (row: number) => number): BlockColumn {
    const column = new Float64Array(this.rows.length)
    for (let i = 0; i < column.length; i++) column[i] = cell(i)
    return column
  }

  private row(i: number): QuerySummary {
    return this.rows[i] as QuerySummary
  }
}

/** Returns a row's index, in floating time. `zone` applies to rows without an offset. */
export function rowIndex(row: StoredSummary, { index }: SummaryTable, zone: string): EpochMs {
  switch (index.kind) {
    case 'at':
      return row.at + (row.offset ?? zoneOffset(zone, row.at)) * SECOND_MS
    case 'date':
      return dateCell(row.date)
    case 'updated':
      return row.updatedAt
    case 'document_date': {
      const told = row.document[index.key]
      const date = typeof told === 'string' ? dateCell(told) : Number.NaN
      return Number.isNaN(date) ? dateCell(row.date) : date
    }
  }
}
