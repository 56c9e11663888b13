/** Builds the derived_readiness table: one block per source, with one row for each calendar date that has a sleep or an activity. */
import { ACTIVITY } from '../../../catalogue/query/activity.ts'
import type { ReadinessValue } from '../../../catalogue/query/column.ts'
import { SLEEP } from '../../../catalogue/query/sleep.ts'
import type { UserId } from '../../../core/ids.ts'
import type { SummaryKind } from '../../../core/sample.ts'
import { DAY_MS, formatDate } from '../../../core/time.ts'
import type { StoredSummary } from '../../../store/sample.ts'
import type { Window } from '../plan/calendar.ts'
import type { ColumnRef } from '../plan/columns.ts'
import { type Block, type BlockColumn, type ComputedRow, cacheColumns } from './block.ts'
import { BASELINE_DAYS, recoveryScore, recoveryZone, strainScore, strainZone, stressScore } from './readiness.ts'
import type { QuerySource } from './source.ts'
import { type Day, SourceDays } from './source-days.ts'
import { bySource, SummaryRows } from './summary-rows.ts'
import type { TextPool } from './text-pool.ts'

/** Values that are compared with the values of the preceding days. */
const BASELINE_VALUES: ReadonlySet<ReadinessValue> = new Set(['recovery_score', 'recovery_zone', 'stress_score'])

/** Yields the rows in the window. The preceding days of the baseline are read only if `refs` contains a column that needs them. */
export async function* readinessBlocks(
  source: Pick<QuerySource, 'summaries'>,
  user: { readonly userId: UserId; readonly zone: string },
  window: Window,
  pool: TextPool,
  refs: readonly ColumnRef[],
): AsyncIterable<Block> {
  const before = refs.some(needsBaseline) ? BASELINE_DAYS : 0
  const range = { fromDate: formatDate(window.from - before * DAY_MS), toDate: formatDate(window.to) }
  const read = async (kind: SummaryKind) =>
    bySource(await source.summaries.list(user.userId, { kind, provider: null, ...range }))
  const [sleeps, activities] = [await read('sleep'), await read('activity')]
  for (const key of new Set([...sleeps.keys(), ...activities.keys()])) {
    const [nights, days] = [sleeps.get(key) ?? [], activities.get(key) ?? []]
    const summaries = new SourceDays(
      new SummaryRows(nights, SLEEP, user.zone, pool),
      new SummaryRows(days, ACTIVITY, user.zone, pool),
    )
    yield buildBlock(summaries, (nights[0] ?? days[0]) as StoredSummary, window, pool)
  }
}

function needsBaseline(ref: ColumnRef): boolean {
  return (
    ref.kind === 'summary' && ref.column.origin.kind === 'readiness' && BASELINE_VALUES.has(ref.column.origin.value)
  )
}

function buildBlock(days: SourceDays, of: StoredSummary, window: Window, pool: TextPool): Block {
  const rows = days.within(window)
  const dates = Float64Array.from(rows, day => day.date)
  const { provider, sourceType } = of
  return {
    n: rows.length,
    source: { resource: null, provider, sourceType, type: null },
    local: dates,
    instant: dates,
    computed: row => computedFrom(days, rows[row] as Day),
    column: cacheColumns((ref): BlockColumn => {
      if (ref.kind === 'index') return dates
      if (ref.kind !== 'summary' || ref.column.origin.kind !== 'readiness') {
        throw new Error('derived_readiness has only its own columns')
      }
      const cell = buildReader(ref.column.origin.value, days, of, pool)
      return Float64Array.from(rows, cell)
    }),
  }
}

/** Returns what a day's values are computed from. */
function computedFrom(days: SourceDays, day: Day): ComputedRow {
  const number = (value: number | undefined): number | null =>
    value === undefined || Number.isNaN(value) ? null : value
  const [low, medium, high] = days.minutes(day)
  const [hrv, rhr] = [days.hrvBaseline(day), days.rhrBaseline(day)]
  return {
    summaries: days.summaries(day),
    inputs: {
      hrv_ms: number(days.hrv(day)),
      hrv_statistic: days.statistic(day),
      hrv_baseline_mean_ms: number(hrv?.mean),
      hrv_baseline_deviation_ms: number(hrv?.spread),
      resting_heart_rate_bpm: number(days.rhr(day)),
      resting_heart_rate_baseline_mean_bpm: number(rhr?.mean),
      resting_heart_rate_baseline_deviation_bpm: number(rhr?.spread),
      low_intensity_minutes: number(low),
      medium_intensity_minutes: number(medium),
      high_intensity_minutes: number(high),
    },
  }
}

/** Returns a function that reads one of a day's values. Texts are IDs in the pool. */
function buildReader(
  value: ReadinessValue,
  days: SourceDays,
  { provider, sourceType }: StoredSummary,
  pool: TextPool,
): (day: Day) => number {
  const text = (word: string | null): number => (word === null ? Number.NaN : pool.id(word))
  const recovery = (day: Day): number =>
    recoveryScore(days.hrv(day), days.rhr(day), days.hrvBaseline(day), days.rhrBaseline(day))
  const strain = (day: Day): number => strainScore(...days.minutes(day))
  switch (value) {
    case 'date':
      return day => day.date
    case 'chronotype':
    case 'sleep_score':
      return day => days.macro(day, value)
    case 'recovery_score':
      return recovery
    case 'recovery_zone':
      return day => text(recoveryZone(recovery(day)))
    case 'stress_score':
      return day => stressScore(recovery(day))
    case 'strain_score':
      return strain
    case 'strain_zone':
      return day => text(strainZone(strain(day)))
    case 'source_type':
      return () => pool.id(sourceType)
    case 'source_provider':
      return () => pool.id(provider)
    case 'source_app_id':
      return day => text(days.summary(day).appId)
    case 'source_device_id':
      return day => text(days.summary(day).deviceId)
  }
}
