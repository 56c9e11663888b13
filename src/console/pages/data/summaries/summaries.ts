/** Reads the summaries in a time range, and charts one of their fields. */
import { call, type Input } from '../../../api/call.ts'
import { type Load, useLoader } from '../../../api/use-call.ts'
import { colorNumber } from '../../../parts/chart/colors.ts'
import type { ChartSeries, View } from '../../../parts/chart/series.ts'
import { DAY, floatingDate, toFloating } from '../../../parts/floating.ts'
import { Columns } from '../timeseries/columns.ts'
import { type SourceSeries, seriesLabel } from '../timeseries/raw.ts'

/** The fields of every summary. */
export interface AnySummary {
  readonly id: string
  readonly calendar_date?: string
  readonly timezone_offset?: number | null
  readonly source: { readonly provider: string; readonly type: string }
  readonly [key: string]: unknown
}

export type SummaryKind = NonNullable<Input<'summary.get'>['params']>['resource']

export interface SummariesRequest {
  readonly userId: string
  readonly view: View
}

/** Loads the summaries in a time range, newest first. A profile has no time range, because there is at most one. */
export function useSummaries<T extends AnySummary>(userId: string, kind: SummaryKind, view: View): Load<readonly T[]> {
  const [from, to] = [floatingDate(view.from), floatingDate(view.to - 1)]
  return useLoader<readonly T[]>(`${userId} ${kind} ${from} ${to}`, signal =>
    readSummaries<T>({ userId, view }, kind, signal),
  )
}

/** Reads the summaries in a time range, newest first. Throws Problem. */
export async function readSummaries<T extends AnySummary>(
  { userId, view }: SummariesRequest,
  kind: SummaryKind,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const query = kind === 'profile' ? {} : { start_date: floatingDate(view.from), end_date: floatingDate(view.to - 1) }
  const response = await call('summary.get', { params: { resource: kind, user_id: userId }, query }, { signal })
  // the common schema of all summaries has no named fields; the only key is the list, and a profile is the response itself
  const found = (kind === 'profile' ? [response] : Object.values(response)[0]) as readonly T[]
  return [...found].sort((a, b) => (sortKey(a) < sortKey(b) ? 1 : -1))
}

function sortKey({ time_start, bedtime_stop, timestamp, calendar_date }: AnySummary): string {
  return String(time_start ?? bedtime_stop ?? timestamp ?? calendar_date ?? '')
}

/** Returns the floating time for an instant in a summary. */
export function floatingIn({ timezone_offset: offset }: AnySummary, instant: string, zone: string | null): number {
  return toFloating(Date.parse(instant) / 1000, typeof offset === 'number' ? offset : null, zone)
}

/** The summary field to draw. */
export interface DrawnField {
  readonly unit: string
  /** Returns the field's value in a summary, which may not be a number. */
  readonly readNumber: (summary: AnySummary) => unknown
}

/** Returns the values of a numeric field as one series per source. */
export function fieldSeries(
  rows: readonly AnySummary[],
  { unit, readNumber: numberOf }: DrawnField,
  zone: string | null,
  shape: Pick<ChartSeries, 'mark' | 'bucket'>,
): readonly SourceSeries[] {
  const isSum = shape.mark === 'bars'
  const found = new Map<string, { provider: string; sourceType: string; columns: Columns }>()
  for (const row of rows.toReversed()) {
    const value = numberOf(row)
    if (typeof value !== 'number') continue
    const { provider, type } = row.source
    const label = seriesLabel(provider, type, null, null)
    const entry = found.get(label) ?? { provider, sourceType: type, columns: new Columns() }
    found.set(label, entry)
    const time = row['timestamp']
    if (typeof time === 'string') {
      const at = floatingIn(row, time, zone)
      entry.columns.add(at, at, value)
    } else {
      const at = Date.parse(`${row.calendar_date}T00:00Z`) / 1000
      entry.columns.add(at, isSum ? at + DAY : at, value)
    }
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, { provider, sourceType, columns }], i) => ({
      ...{ key: label, label, unit, provider, sourceType, color: colorNumber(i) },
      ...columns.take(isSum),
      ...shape,
    }))
}
