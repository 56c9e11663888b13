/**
 * Collects what one source reports for each calendar date: the main sleep, the activity, and the baseline from the days before. Indexed
 * reads are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import { ACTIVITY } from '../../../catalogue/query/activity.ts'
import { column, type QueryColumn, type SummaryTable } from '../../../catalogue/query/column.ts'
import { VALUE_MACROS, type ValueMacro } from '../../../catalogue/query/macros.ts'
import { SLEEP } from '../../../catalogue/query/sleep.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { StoredSummary } from '../../../store/sample.ts'
import type { Window } from '../plan/calendar.ts'
import type { BlockColumn } from './block.ts'
import { dateCell } from './cell.ts'
import { BASELINE_DAYS, type Baseline, computeBaseline } from './readiness.ts'
import type { SummaryRows } from './summary-rows.ts'

/** A calendar date with the source's sleep row and activity row, each null if there is none. */
export interface Day {
  readonly date: EpochMs
  readonly sleep: number | null
  readonly activity: number | null
}

type HrvStatistic = 'hrv_mean_rmssd' | 'hrv_mean_sdnn'

const [LOW, MEDIUM, HIGH] = ['low', 'medium', 'high'].map(name => column(name, 'float', `Minutes of ${name} intensity`))

export class SourceDays {
  private readonly sleeps: SummaryRows
  private readonly activities: SummaryRows
  private readonly days: ReadonlyMap<EpochMs, Day>

  constructor(sleeps: SummaryRows, activities: SummaryRows) {
    this.sleeps = sleeps
    this.activities = activities
    const nights = mainSleeps(sleeps)
    const active = firstOfDates(activities)
    const days = new Map<EpochMs, Day>()
    for (const date of new Set([...nights.keys(), ...active.keys()])) {
      days.set(date, { date, sleep: nights.get(date) ?? null, activity: active.get(date) ?? null })
    }
    this.days = days
  }

  /** Returns the days of a window in ascending order. */
  within({ from, to }: Window): readonly Day[] {
    return [...this.days.values()].filter(({ date }) => date >= from && date < to).sort((a, b) => a.date - b.date)
  }

  /** Returns the main sleep, or the activity on a day without a sleep. */
  summary(day: Day): StoredSummary {
    return (
      day.sleep === null ? this.activities.rows[day.activity as number] : this.sleeps.rows[day.sleep]
    ) as StoredSummary
  }

  /** Returns the stored summaries of a day: the main sleep and the activity. */
  summaries({ sleep, activity }: Day): readonly StoredSummary[] {
    return [
      ...(sleep === null ? [] : [this.sleeps.rows[sleep] as StoredSummary]),
      ...(activity === null ? [] : [this.activities.rows[activity] as StoredSummary]),
    ]
  }

  macro(day: Day, name: ValueMacro['name']): number {
    const macro = VALUE_MACROS.find(each => each.name === name) as ValueMacro
    return at(this.sleeps.macro(macro, null), day.sleep)
  }

  /** Returns the main sleep's heart rate variability, as RMSSD if the source reports it, otherwise as SDNN. */
  hrv(day: Day): number {
    return this.variability(day, this.statistic(day))
  }

  /** Returns the resting heart rate from the main sleep, or otherwise from the activity. */
  rhr(day: Day): number {
    const asleep = at(cells(this.sleeps, SLEEP, 'heart_rate_resting'), day.sleep)
    return Number.isNaN(asleep) ? at(cells(this.activities, ACTIVITY, 'heart_rate_resting'), day.activity) : asleep
  }

  hrvBaseline(day: Day): Baseline | null {
    const statistic = this.statistic(day)
    return this.baseline(day, each => this.variability(each, statistic))
  }

  rhrBaseline(day: Day): Baseline | null {
    return this.baseline(day, each => this.rhr(each))
  }

  /** Returns the minutes at low, medium and high intensity. */
  minutes(day: Day): [low: number, medium: number, high: number] {
    return [LOW, MEDIUM, HIGH].map(each => at(this.activities.cells(each as QueryColumn), day.activity)) as [
      number,
      number,
      number,
    ]
  }

  /** Returns the statistic of a day, which its baseline must share. */
  statistic(day: Day): HrvStatistic {
    return Number.isNaN(this.variability(day, 'hrv_mean_rmssd')) ? 'hrv_mean_sdnn' : 'hrv_mean_rmssd'
  }

  private variability(day: Day, statistic: HrvStatistic): number {
    return at(cells(this.sleeps, SLEEP, statistic), day.sleep)
  }

  private baseline({ date }: Day, quantity: (day: Day) => number): Baseline | null {
    const values: number[] = []
    for (let back = BASELINE_DAYS; back >= 1; back--) {
      const day = this.days.get(date - back * DAY_MS)
      const value = day === undefined ? Number.NaN : quantity(day)
      if (!Number.isNaN(value)) values.push(value)
    }
    return computeBaseline(values)
  }
}

function cells(summaries: SummaryRows, table: SummaryTable, name: string): BlockColumn {
  return summaries.cells(table.columns.find(each => each.name === name) as QueryColumn)
}

function at(values: BlockColumn, row: number | null): number {
  return row === null ? Number.NaN : (values[row] as number)
}

/** Returns the row of the longest sleep on each date. Among equally long sleeps, the last to end is used. */
function mainSleeps(sleeps: SummaryRows): ReadonlyMap<EpochMs, number> {
  const durations = cells(sleeps, SLEEP, 'duration_second')
  const length = (row: number): number => (Number.isNaN(durations[row]) ? -1 : (durations[row] as number))
  const main = new Map<EpochMs, number>()
  for (const [row, { date }] of sleeps.rows.entries()) {
    const day = dateCell(date)
    const held = main.get(day)
    const longer = held === undefined ? 1 : length(row) - length(held)
    const later = held !== undefined && (sleeps.instant[row] as number) > (sleeps.instant[held] as number)
    if (longer > 0 || (longer === 0 && later)) main.set(day, row)
  }
  return main
}

function firstOfDates(activities: SummaryRows): ReadonlyMap<EpochMs, number> {
  const first = new Map<EpochMs, number>()
  for (const [row, { date }] of activities.rows.entries()) {
    const day = dateCell(date)
    if (!first.has(day)) first.set(day, row)
  }
  return first
}
