/** A night as described by its summary, its stages as a series of a chart, in words and as a table, and the text for a duration. */

import { momentText } from '../../../parts/chart/readout.ts'
import type { ChartSeries } from '../../../parts/chart/series.ts'
import { PagedTable } from '../../../parts/paged-table.tsx'
import type { SessionKind } from '../sessions.ts'
import type { AnySummary } from '../summaries/summaries.ts'

/** Fields of a sleep summary that the page reads. */
export interface Night extends AnySummary {
  readonly calendar_date: string
  readonly bedtime_start: string
  readonly bedtime_stop: string
  readonly type: string
  /** Seconds, like the following fields up to `latency`. Null in a merged night if a part of it lacks the value. */
  readonly duration: number | null
  readonly total: number | null
  readonly awake: number | null
  readonly light: number | null
  readonly rem: number | null
  readonly deep: number | null
  readonly latency: number | null
  /** Percent. */
  readonly efficiency: number | null
  readonly score: number | null
  readonly hr_lowest: number | null
  readonly average_hrv: number | null
}

export const NIGHTS: SessionKind<Night> = {
  kind: 'sleep',
  table: 'sleep',
  columns: {
    duration_second: 'duration',
    stage_asleep_second: 'total',
    stage_awake_second: 'awake',
    stage_light_second: 'light',
    stage_rem_second: 'rem',
    stage_deep_second: 'deep',
    latency_second: 'latency',
    efficiency: 'efficiency',
    score: 'score',
    heart_rate_minimum: 'hr_lowest',
    hrv_mean_rmssd: 'average_hrv',
  },
  start: 'bedtime_start',
  end: 'bedtime_stop',
  index: 'bedtime_stop',
}

/** Returns a duration as text, such as `7 h 12 min`; `unknown` for null. */
export function lengthText(seconds: number | null): string {
  if (seconds === null) return 'unknown'
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** An uninterrupted time in one stage. Times are floating, in seconds. */
export interface Stage {
  readonly from: number
  readonly to: number
  readonly stage: number
}

/** Titles and color numbers of the service's numeric stages, from the top of the chart to the bottom. */
const ROWS = [
  { stage: 4, title: 'Awake', color: 2 },
  { stage: 3, title: 'REM', color: 4 },
  { stage: 2, title: 'Light', color: 3 },
  { stage: 1, title: 'Deep', color: 1 },
  { stage: 5, title: 'By hand', color: 5 },
]
const UNKNOWN = 'Unknown'
const PER_PAGE = 10

const stageTitle = (stage: number): string => ROWS.find(row => row.stage === stage)?.title ?? UNKNOWN

/** Returns the stages as a series with one row for each kind of stage. */
export function stageSeries(stages: readonly Stage[]): ChartSeries {
  const rows = ROWS.filter(row => row.stage !== 5 || stages.some(each => each.stage === 5)).reverse()
  const spans = stages.map(each => ({ ...each, row: rows.findIndex(row => row.stage === each.stage) }))
  return spanSeries('Stages', spans, rows)
}

/** Returns spans of time, oldest first, as a series with rows from the bottom. A span without a row is not drawn. */
export function spanSeries(
  label: string,
  spans: readonly { readonly from: number; readonly to: number; readonly row: number }[],
  rows: NonNullable<ChartSeries['rows']>,
): ChartSeries {
  const drawn = spans.filter(({ row }) => row >= 0)
  const low = Float64Array.from(drawn, ({ row }) => row)
  return {
    ...{ key: label, label, unit: '', mark: 'line', color: 1, gap: 0, low, high: low, rows },
    ...{ at: Float64Array.from(drawn, ({ from }) => from), until: Float64Array.from(drawn, ({ to }) => to) },
  }
}

/** Describes stages in a sentence, such as `4 stages: Awake 1 h 0 min in 1 part, …`. */
export function describeStages(stages: readonly Stage[]): string {
  const totals = ROWS.flatMap(row => {
    const own = stages.filter(({ stage }) => stage === row.stage)
    const seconds = own.reduce((sum, { from, to }) => sum + to - from, 0)
    return own.length === 0
      ? []
      : [`${row.title} ${lengthText(seconds)} in ${own.length} ${own.length === 1 ? 'part' : 'parts'}`]
  })
  return `${stages.length} stages: ${totals.join(', ')}.`
}

export function StageTable({ stages }: { readonly stages: readonly Stage[] }) {
  return (
    <details>
      <summary>Stages as a table</summary>
      <PagedTable
        label="Stages"
        columns={[
          { title: 'From', cell: ({ from }) => momentText(from) },
          { title: 'To', cell: ({ to }) => momentText(to) },
          { title: 'Stage', cell: ({ stage }) => stageTitle(stage) },
          { title: 'Length', isNumber: true, cell: ({ from, to }) => lengthText(to - from) },
        ]}
        rows={stages}
        rowKey={({ from, stage }) => `${from} ${stage}`}
        perPage={PER_PAGE}
        noun="stages"
      />
    </details>
  )
}
