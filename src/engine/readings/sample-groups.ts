/**
 * Converts columns of samples to response format: one object per sample, grouped by provider and source. See
 * docs/interface/timeseries.md#timeseries-1. Indexed reads are unchecked (`as number`) because the loops are hot and the indices are always
 * in range.
 */
import type { TimeseriesResource } from '../../catalogue/resources.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { type DictColumn, NO_OFFSET, type SampleColumns, type SeriesKey, textAt } from '../../core/sample.ts'
import { formatInstant } from '../../core/time.ts'
import type { SeriesSlice } from '../../store/sample.ts'

type Group = ReplyBody<Operations['timeseries.grouped']>['groups'][string][number]
type Sample = Group['data'][number]

/** Returns the groups by provider slug, in the order of the slices. The samples in each group are in ascending order of start. */
export function groupSamples(resource: TimeseriesResource, slices: readonly SeriesSlice[]): Record<string, Group[]> {
  const groups: Record<string, Group[]> = {}
  const bySource = new Map<string, Group>()
  const mixed = new Set<Group>()
  for (const { series, columns } of slices) {
    const ofProvider = groups[series.provider] ?? []
    groups[series.provider] = ofProvider
    const viewOf = sampleViews(resource, series, columns)
    const changes = contextChanges(columns)
    const begun = new Set<Group>()
    let group: Group | undefined
    for (let row = 0; row < columns.n; row++) {
      if (!group || changes(row)) {
        const source = rowSource(series, columns, row)
        const key = JSON.stringify(source)
        group = bySource.get(key)
        if (!group) {
          group = { source, data: [] }
          bySource.set(key, group)
          begun.add(group)
          ofProvider.push(group)
        } else if (!begun.has(group)) {
          // series that differ only in their discriminating type have the same source
          mixed.add(group)
        }
      }
      group.data.push(viewOf(row))
    }
  }
  for (const group of mixed) group.data.sort(byStart)
  return groups
}

/** Compares by start. Times are printed with the same length up to the milliseconds, so their texts can be sorted. */
export function byStart(a: Sample, b: Sample): number {
  return a.start < b.start ? -1 : a.start > b.start ? 1 : 0
}

/** Returns a function that checks whether a row's app, device, sport or workout differs from that of the previous row. */
export function contextChanges({ text }: SampleColumns): (row: number) => boolean {
  const names = ['app_id', 'device_id', 'sport', 'workout_id'] as const
  const columns = names.flatMap(name => text.get(name) ?? [])
  if (columns.length === 0) return () => false
  return row => {
    for (const { codes } of columns) if (codes[row] !== codes[row - 1]) return true
    return false
  }
}

/** Returns the source of a row's group. */
export function rowSource(series: SeriesKey, { text }: SampleColumns, row: number): Group['source'] {
  return {
    provider: series.provider,
    type: series.sourceType,
    app_id: textAt(text.get('app_id'), row),
    device_id: textAt(text.get('device_id'), row),
    sport: textAt(text.get('sport'), row),
    workout_id: textAt(text.get('workout_id'), row),
  }
}

/**
 * Returns a function that builds a slice's rows as they are sent. Values that rows have in common are looked up only once, because a page
 * contains thousands of rows. See docs/interface/timeseries.md#timeseries-2.
 */
function sampleViews(resource: TimeseriesResource, series: SeriesKey, columns: SampleColumns): (row: number) => Sample {
  const { start, end, offset, value, second, text } = columns
  const { shape, unit } = resource
  const types = text.get('type')
  const content = text.get('content')
  const extra: (readonly [string, DictColumn | undefined])[] = resource.fields
    .filter(field => field !== 'type')
    .map(field => [field, text.get(field)])
  return row => {
    const at = start[row] as number
    const until = end ? (end[row] as number) : at
    const east = offset ? (offset[row] as number) : NO_OFFSET
    const from = formatInstant(at)
    const to = until === at ? from : formatInstant(until)
    const timezone_offset = east === NO_OFFSET ? null : east
    const type = series.type ?? textAt(types, row)
    // one literal per shape, because spreading one into the other costs more than everything else here
    const view: Sample =
      shape === 'value'
        ? { timestamp: from, start: from, end: to, timezone_offset, type, unit, value: value[row] }
        : { timestamp: from, start: from, end: to, timezone_offset, type, unit }
    if (shape === 'text') view['value'] = textAt(content, row) ?? ''
    if (shape === 'blood_pressure') {
      view['systolic'] = value[row]
      view['diastolic'] = second?.[row] ?? null
    }
    for (const [field, column] of extra) {
      const word = textAt(column, row)
      // tags are stored as a JSON list
      view[field] = field === 'tags' && word !== null ? (JSON.parse(word) as string[]) : word
    }
    return view
  }
}
