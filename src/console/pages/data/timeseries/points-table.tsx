/** A chart's points as a paged table, in chronological order. */
import { momentText, withUnit } from '../../../parts/chart/readout.ts'
import { firstAt, type View } from '../../../parts/chart/series.ts'
import { DAY } from '../../../parts/floating.ts'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { knownIn, Period } from '../../../parts/period.tsx'
import type { Column } from '../../../parts/table.tsx'
import { listText } from '../merging.ts'
import { WhyButton } from '../why/why-button.tsx'
import { type MergedSeries, questionOf } from './merged.ts'
import type { SourceSeries } from './raw.ts'

interface PointsTableProps {
  readonly userId: string
  readonly label: string
  /** Merged series also show the source of each row. */
  readonly series: readonly (SourceSeries | MergedSeries)[]
  readonly view: View
  /** Length of a bucket in seconds; absent if each row is a sample. */
  readonly width?: number | undefined
}

const PER_PAGE = 12

interface Row {
  readonly series: SourceSeries | MergedSeries
  readonly i: number
}

export function PointsTable({ userId, label, series, view, width }: PointsTableProps) {
  const spans = series.map(each => [firstAt(each.at, view.from), firstAt(each.at, view.to)] as const)
  const total = spans.reduce((sum, [first, end]) => sum + end - first, 0)
  const isMerged = series.some(each => 'parts' in each)
  const isShort = view.to - view.from < 7_200
  const known = knownIn(view.from, view.to - 1)
  const columns: Column<Row>[] = [
    {
      title: 'Time',
      cell: ({ series: { at, bucket }, i }) =>
        bucket ? <Period at={at[i] ?? 0} {...{ bucket, known }} /> : <Moment at={at[i]} withSeconds={isShort} />,
    },
    ...(series.some(each => each.mark === 'bars' && each.until !== each.at) && width === undefined
      ? [{ title: 'Until', cell: ({ series, i }: Row) => <Moment at={series.until[i]} withSeconds={isShort} /> }]
      : []),
    ...(width === undefined || series.every(each => each.low === each.high)
      ? [{ title: 'Value', isNumber: true, cell: ({ series, i }: Row) => withUnit(series.low[i] ?? 0, series.unit) }]
      : [
          { title: 'Lowest', isNumber: true, cell: ({ series, i }: Row) => withUnit(series.low[i] ?? 0, series.unit) },
          {
            title: 'Highest',
            isNumber: true,
            cell: ({ series, i }: Row) => withUnit(series.high[i] ?? 0, series.unit),
          },
          ...(isMerged ? [{ title: 'Mean', isNumber: true, cell: meanOf }] : []),
        ]),
    // last, so that a phone does not cut off the value column
    ...(isMerged && series.length === 1
      ? []
      : [{ title: isMerged ? 'Series' : 'Source', cell: ({ series }: Row) => series.label }]),
    ...(isMerged ? [{ title: 'Source', cell: sourcesOf }] : []),
    ...(isMerged && width === DAY
      ? [{ title: 'Why', isTitleHidden: true, cell: (row: Row) => whyButton(userId, row) }]
      : []),
  ]
  return (
    <PagedTable
      label={label}
      columns={columns}
      rows={{ length: total, slice: (from, to) => rowsIn(series, spans, from, to) }}
      rowKey={({ series, i }) => `${series.key} ${i}`}
      perPage={PER_PAGE}
      noun={width === undefined ? 'samples' : 'buckets'}
      version={`${view.from} ${view.to} ${series.map(each => each.key)}`}
    />
  )
}

function meanOf({ series, i }: Row): string {
  return 'parts' in series ? withUnit(series.mean[i] ?? 0, series.unit) : ''
}

/** Returns a button that explains the number of a day. */
function whyButton(userId: string, { series, i }: Row) {
  const question = questionOf(series, i)
  return question && <WhyButton {...{ userId, question }} />
}

/** Returns the sources of a merged value. */
function sourcesOf({ series, i }: Row): string {
  return 'parts' in series ? listText([...(series.parts[i]?.keys() ?? [])]) : series.label
}

/** Traverses all series in chronological order, and skips the rows of earlier pages. */
function rowsIn(
  series: readonly (SourceSeries | MergedSeries)[],
  spans: readonly (readonly [number, number])[],
  from: number,
  to: number,
): readonly Row[] {
  const next = spans.map(([first]) => first)
  const timeOf = (s: number): number =>
    (next[s] ?? 0) < (spans[s]?.[1] ?? 0) ? (series[s]?.at[next[s] ?? 0] ?? 0) : Number.POSITIVE_INFINITY
  const rows: Row[] = []
  for (let row = 0; row < to; row++) {
    let best = 0
    for (let s = 1; s < series.length; s++) if (timeOf(s) < timeOf(best)) best = s
    const chosen = series[best]
    if (!chosen || timeOf(best) === Number.POSITIVE_INFINITY) break
    const i = next[best] ?? 0
    if (row >= from) rows.push({ series: chosen, i })
    next[best] = i + 1
  }
  return rows
}

function Moment({ at = 0, withSeconds }: { readonly at?: number | undefined; readonly withSeconds: boolean }) {
  return <span class="data-nowrap">{momentText(at, withSeconds)}</span>
}
