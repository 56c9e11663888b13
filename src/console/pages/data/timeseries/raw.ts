/** Reads the samples in a time range, page by page, as chart series. */
import { readableName, unitText } from '../../../../catalogue/wording.ts'
import { call, type ResponseOf } from '../../../api/call.ts'
import { colorNumber } from '../../../parts/chart/colors.ts'
import type { ChartSeries, View } from '../../../parts/chart/series.ts'
import { fromFloating, instantText, toFloating } from '../../../parts/floating.ts'
import { sourceText, type TimeseriesResource } from '../resources.ts'
import { Columns } from './columns.ts'

export type GroupedPage = ResponseOf<'timeseries.grouped'>

export interface SamplesRequest {
  readonly userId: string
  readonly zone: string | null
  readonly resource: TimeseriesResource
  readonly view: View
}

/** A series with the source of its samples. */
export interface SourceSeries extends ChartSeries {
  readonly provider: string
  readonly sourceType: string
}

/** A text that a person wrote, which has no position on a scale. */
export interface Note {
  readonly at: number
  readonly source: string
  readonly text: string
}

export interface RawSamples {
  readonly series: readonly SourceSeries[]
  readonly notes: readonly Note[]
  /** False if reading stopped at the limit. */
  readonly isComplete: boolean
}

/**
 * Largest offset of a time zone from UTC. A sample may be from any zone, so reads extend by this offset on both sides, and samples outside
 * the range are dropped.
 */
const FURTHEST_SECONDS = 15 * 3600

/**
 * Reads at most `most` samples in a range of floating time. With `isByMark`, samples with different marks, which show a kind of value, are
 * separate series. Throws Problem.
 */
export async function readSamples(
  wanted: SamplesRequest,
  { most, isByMark }: { readonly most: number; readonly isByMark: boolean },
  signal: AbortSignal,
): Promise<RawSamples> {
  const { userId, zone, resource, view } = wanted
  const collected = new Collected(resource, isByMark)
  const notes: Note[] = []
  const read = (cursor: string | null): Promise<GroupedPage> =>
    call(
      'timeseries.grouped',
      {
        params: { user_id: userId, resource: resource.resource },
        query: {
          start_date: instantText(fromFloating(view.from, zone) - FURTHEST_SECONDS),
          end_date: instantText(fromFloating(view.to, zone) + FURTHEST_SECONDS),
          ...(cursor === null ? {} : { next_cursor: cursor }),
        },
      },
      { signal },
    )
  let count = 0
  let isComplete = false
  let next: Promise<GroupedPage> | null = read(null)
  while (next) {
    const page: GroupedPage = await next
    const groups = Object.values(page.groups).flat()
    count += groups.reduce((sum, { data }) => sum + data.length, 0)
    isComplete = page.next_cursor === null
    // the server reads the next page while this one is being collected
    next = isComplete || count >= most ? null : read(page.next_cursor)
    for (const { source, data } of groups) {
      // the schema for all resources has only the fields that they share
      for (const sample of data as unknown as readonly AnySample[]) {
        const offset = sample.timezone_offset
        const start = Date.parse(sample.start) / 1000
        const at = toFloating(start, offset, zone)
        if (at < view.from || at >= view.to) continue
        const until = sample.end === sample.start ? at : at + Date.parse(sample.end) / 1000 - start
        if (typeof sample.value === 'string') notes.push({ at, source: sourceText(source), text: sample.value })
        else collected.add(source, sample, at, until)
      }
    }
  }
  notes.sort((a, b) => a.at - b.at)
  return { series: collected.take(), notes, isComplete }
}

/** The sample fields that the page reads. The schema of each resource has more fields. */
interface AnySample {
  readonly start: string
  readonly end: string
  readonly timezone_offset: number | null
  readonly type: string | null
  readonly sensor_location?: string | null
  readonly value?: number | string
  readonly systolic?: number
  readonly diastolic?: number
}

class Collected {
  private readonly found = new Map<string, { provider: string; sourceType: string; label: string; columns: Columns }>()
  /** The columns by what the label is made of, because making the label of every sample takes long. */
  private readonly known = new Map<string, Columns>()
  private readonly resource: TimeseriesResource
  private readonly isByMark: boolean

  constructor(resource: TimeseriesResource, isByMark: boolean) {
    this.resource = resource
    this.isByMark = isByMark
  }

  add(source: { provider: string; type: string }, sample: AnySample, at: number, until: number): void {
    const { shape, has_type_in_key: hasType } = this.resource
    const type = this.isByMark ? (sample.type ?? sample.sensor_location ?? null) : hasType ? sample.type : null
    if (shape === 'blood_pressure') {
      this.findColumns(source, type, 'systolic').add(at, until, sample.systolic ?? 0)
      this.findColumns(source, type, 'diastolic').add(at, until, sample.diastolic ?? 0)
    } else if (typeof sample.value === 'number') this.findColumns(source, type, null).add(at, until, sample.value)
  }

  private findColumns(source: { provider: string; type: string }, type: string | null, part: string | null): Columns {
    const { provider, type: sourceType } = source
    const key = `${provider} ${sourceType} ${type} ${part}`
    const known = this.known.get(key)
    if (known) return known
    const label = seriesLabel(provider, sourceType, type, part)
    const entry = this.found.get(label) ?? { provider, sourceType, label, columns: new Columns() }
    this.found.set(label, entry)
    this.known.set(key, entry.columns)
    return entry.columns
  }

  take(): readonly SourceSeries[] {
    const { is_amount: isAmount } = this.resource
    const unit = unitText(this.resource.unit)
    return [...this.found.values()]
      .sort((a, b) => (a.label < b.label ? -1 : 1))
      .map(({ provider, sourceType, label, columns }, i) => ({
        ...{ key: label, label, unit, provider, sourceType, color: colorNumber(i) },
        ...columns.take(isAmount),
      }))
  }
}

/** Returns the name of a series, the same for samples and for buckets: `garmin · chest strap`. */
export function seriesLabel(provider: string, sourceType: string, type: string | null, part: string | null): string {
  return [provider, ...[sourceType, type, part].flatMap(each => (each ? [readableName(each)] : []))].join(' · ')
}
