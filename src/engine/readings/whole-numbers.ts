/**
 * Rounds integer fields when data is stored, and again when it is read, because an older version stored values without rounding. See
 * docs/interface/summaries.md#summaries-8.
 */
import { resourceNamed } from '../../catalogue/resources.ts'
import { WHOLE_COLUMNS } from '../../contract/readings/stream.ts'
import { wholeDocument, wholeNumber } from '../../contract/readings/whole-numbers.ts'
import type { SampleColumns, SummaryRecord } from '../../core/sample.ts'
import type { StreamPoints } from '../../core/stream.ts'
import { buildColumns } from '../../store/chunk/view.ts'
import type { SpooledData } from '../../store/data-write.ts'
import type { Store } from '../../store/port.ts'
import type { SeriesSlice } from '../../store/sample.ts'

/** Returns the data with rounded integers. */
export function wholeData({ batches, summaries, streams }: SpooledData): SpooledData {
  return {
    batches: batches.map(batch => wholeSamples(batch.series.resource, batch)),
    summaries: summaries.map(wholeSummary),
    streams: streams.map(wholePoints),
  }
}

/** Returns a resource's samples, rounded if its values are integers. */
export function wholeSamples<T extends SampleColumns>(resource: string, samples: T): T {
  return resourceNamed(resource)?.isWhole ? { ...samples, value: samples.value.map(wholeNumber) } : samples
}

function wholeSummary<T extends SummaryRecord>(summary: T): T {
  const document = wholeDocument(summary.kind, summary.document)
  return document === summary.document ? summary : { ...summary, document }
}

/** Returns a stream's points with rounded integers. */
export function wholePoints<T extends StreamPoints>(points: T): T {
  const whole = [...points.columns].map(
    ([name, values]) => [name, WHOLE_COLUMNS.has(name) ? values.map(wholeNumber) : values] as const,
  )
  return { ...points, columns: new Map(whole) }
}

/** Returns a store that rounds integers in the samples, summaries and streams that are read from it. */
export function wholeStore<S extends Store>(store: S): S {
  return {
    ...store,
    samples: wholeSampleStore(store.samples),
    streams: wholeStreamStore(store.streams),
    summaries: wholeSummaryStore(store.summaries),
    auditing: entry => over(store.auditing(entry)),
    idempotent: (call, responseTo) => over(store.idempotent(call, responseTo)),
    recording: entry => over(store.recording(entry)),
  }
}

function over<T extends { readonly store: Store }>(call: T): T {
  return { ...call, store: wholeStore(call.store) }
}

function wholeSampleStore(samples: Store['samples']): Store['samples'] {
  return {
    async page(userId, query, after, limit) {
      const page = await samples.page(userId, query, after, limit)
      return { ...page, slices: page.slices.map(wholeSlice) }
    },
    scan(userId, query) {
      const slices = samples.scan(userId, query)
      // a scan uses its reader directly unless values must be rounded
      return resourceNamed(query.resource)?.isWhole ? wholeSlices(slices) : slices
    },
    delete: (userId, query, at) => samples.delete(userId, query, at),
  }
}

async function* wholeSlices(slices: AsyncIterable<SeriesSlice>): AsyncIterable<SeriesSlice> {
  for await (const slice of slices) yield wholeSlice(slice)
}

function wholeSlice(slice: SeriesSlice): SeriesSlice {
  const { series, columns, bytes } = slice
  if (!resourceNamed(series.resource)?.isWhole) return slice
  // omit the packed form, because its values are not rounded
  return { series, bytes, columns: wholeSamples(series.resource, buildColumns(columns)) }
}

function wholeStreamStore(streams: Store['streams']): Store['streams'] {
  return {
    async find(userId, workoutId) {
      const stream = await streams.find(userId, workoutId)
      return stream && wholePoints(stream)
    },
    ids: userId => streams.ids(userId),
  }
}

function wholeSummaryStore(summaries: Store['summaries']): Store['summaries'] {
  return {
    list: async (userId, query) => (await summaries.list(userId, query)).map(wholeSummary),
    async find(userId, kind, id) {
      const summary = await summaries.find(userId, kind, id)
      return summary && wholeSummary(summary)
    },
  }
}
