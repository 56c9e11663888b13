/** Merges a page's samples from all sources in time order. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import type { EpochMs } from '../../core/time.ts'

export type GroupedPage = ReplyBody<Operations['timeseries.grouped']>
export type Group = GroupedPage['groups'][string][number]
export type Sample = Readonly<Record<string, unknown>>

/** A sample with its group's source. */
export interface SampleRow {
  readonly source: Group['source']
  readonly sample: Sample
}

/** Returns all samples of a page in time order. Samples with the same time are ordered by series, so that the order is always the same. */
export function inTimeOrder(page: Pick<GroupedPage, 'groups'>): readonly SampleRow[] {
  const groups = Object.values(page.groups).flat()
  if (groups.length === 1) return listRows(groups)
  // Each group is already in ascending order, so sorting merges them.
  return timed(listRows(groups)).sort(compareTimes)
}

function listRows(groups: readonly Group[]): SampleRow[] {
  return groups.flatMap(({ source, data }) => data.map(sample => ({ source, sample })))
}

/** Returns a sample's start as printed by the server. A server may omit `start` for a sample without a duration. */
export function sampleStart({ start, timestamp }: Sample): string {
  return String(start ?? timestamp)
}

export interface TimedRow extends SampleRow {
  readonly start: EpochMs
  /** Its source and what shows its kind. Together with the start, they identify a sample. See docs/interface/timeseries.md#timeseries-4. */
  readonly series: string
}

/** Returns the rows with their sort keys. */
export function timed(rows: readonly SampleRow[]): TimedRow[] {
  const names = new Map<Group['source'], string>()
  return rows.map(({ source, sample }) => {
    const { provider, type, app_id = null, device_id = null } = source
    const name = names.get(source) ?? `${provider} ${type}${told(app_id, device_id)}`
    names.set(source, name)
    const series = `${name}${told(sample['type'], sample['sensor_location'])}`
    return { source, sample, start: Date.parse(sampleStart(sample)), series }
  })
}

/** Returns values for a series' name, which a cursor contains; most series have none. */
function told(...values: readonly unknown[]): string {
  return values.some(value => value !== null && value !== undefined) ? ` ${JSON.stringify(values)}` : ''
}

function compareTimes(a: TimedRow, b: TimedRow): number {
  return a.start - b.start || (a.series < b.series ? -1 : a.series > b.series ? 1 : 0)
}
