/** Passes the oracle's plain data to the engine as slices like those of the store, split at days and at odd positions. */
import {
  type SampleBatch,
  SampleBatchBuilder,
  type SampleColumns,
  type SampleInput,
  type SeriesKey,
} from '../../../src/core/sample.ts'
import type { QuerySource } from '../../../src/engine/aggregate/scan/source.ts'
import { encodeChunk } from '../../../src/store/chunk/codec.ts'
import { ChunkView } from '../../../src/store/chunk/view.ts'
import type { SeriesSlice, StoredSummary } from '../../../src/store/sample.ts'
import type { SessionMatch } from '../../../src/store/session-match.ts'
import { DAY } from './calendar.ts'
import type { PlainCorrection, PlainData, PlainSample, PlainSummary } from './data.ts'
import { originOf, RESOURCES } from './resources.ts'

/** Returns the samples of one write as batches, one source per batch, or one series per batch, in the given order. */
export function toBatches(samples: readonly PlainSample[], by: 'source' | 'series' = 'source'): readonly SampleBatch[] {
  const builders = new Map<string, SampleBatchBuilder>()
  for (const sample of samples) {
    const { resource, provider, sourceType } = sample
    const type = RESOURCES.find(each => each.path === resource)?.typed ? sample.type : null
    const key = [resource, provider, sourceType, type, ...(by === 'series' ? originOf(sample) : [])].join('\n')
    let builder = builders.get(key)
    if (!builder) {
      builder = new SampleBatchBuilder({ resource, provider, sourceType, type })
      builders.set(key, builder)
    }
    builder.push(toInput(sample))
  }
  return [...builders.values()].map(each => each.take())
}

function toInput({ startMs, endMs, value, second, offsetSec, text }: PlainSample): SampleInput {
  return { start: startMs, end: endMs, value, offset: offsetSec, text, ...(second === null ? {} : { second }) }
}

/** Returns the samples that remain when later ones replace earlier ones with the same key, by start, and then by origin. */
function kept(samples: readonly PlainSample[]): readonly PlainSample[] {
  const byKey = new Map<string, PlainSample>()
  for (const sample of samples) {
    const type = RESOURCES.find(each => each.path === sample.resource)?.typed ? sample.type : null
    const { resource, provider, sourceType, startMs } = sample
    byKey.set([resource, provider, sourceType, type, startMs, ...originOf(sample)].join('\n'), sample)
  }
  return [...byKey.values()].sort((a, b) => compareOrigins(a, b) || a.startMs - b.startMs)
}

export function storedSummary(each: PlainSummary): StoredSummary {
  const { atMs, offsetSec, createdMs, updatedMs, kind, ...same } = each
  return {
    ...{ ...same, kind: kind as StoredSummary['kind'], at: atMs, offset: offsetSec },
    ...{ createdAt: createdMs, updatedAt: updatedMs },
  }
}

export function storedMatch({ kind, ids, isSame, declaredMs }: PlainCorrection): SessionMatch {
  const [firstId, secondId] = ids.toSorted() as [string, string]
  return { kind: kind as SessionMatch['kind'], firstId, secondId, isSame, declaredAt: declaredMs }
}

/** The reads of the store over plain data. `cut` decides where the slices of a series end; odd values pack them. */
export function buildSource(data: PlainData, cut: number): QuerySource {
  const slices = toBatches(kept(data.samples), 'series').flatMap(batch => pieces(batch, cut))
  const summaries = [...new Map(data.summaries.map(each => [`${each.kind} ${each.id}`, each])).values()]
  const sorted = summaries
    .map(storedSummary)
    .sort((a, b) => compare(a.date, b.date) || a.at - b.at || compare(a.id, b.id))
  return {
    samples: {
      async *scan(_user, { resource, from, to }) {
        for (const { series, columns } of slices) {
          if (series.resource !== resource) continue
          const [first, last] = [lowerBound(columns.start, from), lowerBound(columns.start, to + 1)]
          if (first === last) continue
          if (cut % 2 === 1 && last - first === columns.n) yield packed(series, columns)
          else yield { series, columns: part(columns, first, last) }
        }
      },
    },
    summaries: {
      async list(_user, { kind, provider, fromDate, toDate }) {
        return sorted.filter(
          each =>
            each.kind === kind &&
            (provider === null || each.provider === provider) &&
            each.date >= fromDate &&
            each.date <= toDate,
        )
      },
    },
    sessionMatches: { list: async () => (data.corrections ?? []).map(storedMatch) },
  } as QuerySource
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function compareOrigins(a: PlainSample, b: PlainSample): number {
  const others = originOf(b)
  return originOf(a).reduce((sign, name, i) => sign || compare(name, others[i] as string), 0)
}

function pieces(batch: SampleBatch, cut: number): readonly SeriesSlice[] {
  const list: SeriesSlice[] = []
  let from = 0
  for (let i = 1; i <= batch.n; i++) {
    const day = (at: number): number => Math.floor((batch.start[at] as number) / DAY)
    const odd = cut > 1 && (i * 7 + cut) % (cut * 3) === 0
    if (i < batch.n && day(i) === day(i - 1) && !odd && cut % 4 !== 0) continue
    if (i < batch.n && cut % 4 === 0 && i % (cut * 16 + 5) !== 0) continue
    list.push({ series: batch.series, columns: part(batch, from, i) })
    from = i
  }
  return list
}

/** Packs a slice as the store returns a whole chunk. */
function packed(series: SeriesKey, columns: SampleColumns): SeriesSlice {
  const view = new ChunkView(encodeChunk(columns))
  return { series, columns: view, packing: view.packing, bytes: view.bytes }
}

function lowerBound(start: Float64Array, at: number): number {
  let i = 0
  while (i < start.length && (start[i] as number) < at) i++
  return i
}

/** Copies a range, so that each slice has its own arrays, as a chunk has. */
function part({ start, end, value, second, offset, text }: SampleColumns, from: number, to: number): SampleColumns {
  return {
    n: to - from,
    start: start.slice(from, to),
    end: end ? end.slice(from, to) : null,
    value: value.slice(from, to),
    second: second ? second.slice(from, to) : null,
    offset: offset ? offset.slice(from, to) : null,
    text: new Map([...text].map(([name, { values, codes }]) => [name, { values, codes: codes.slice(from, to) }])),
  }
}
