/** Reads pages of samples from chunks, in one time order across all series of a resource. */
import { getOrInsert } from '../../../core/maps.ts'
import type { SampleColumns, SeriesKey } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { interleaveColumns, joinColumns } from '../../chunk/columns.ts'
import type { ChunkView } from '../../chunk/view.ts'
import type { SamplePage, SamplePosition, SampleQuery } from '../../sample.ts'
import { SeriesChunks } from '../rows/chunk-data.ts'
import { remembered, type Steps } from '../steps.ts'
import { listSeries, type NumberedSeries } from './series.ts'

/** Rows taken from a series in one step. */
interface Taken {
  readonly count: number
  readonly last: EpochMs
  /** The current chunk has no more rows. */
  readonly isUsedUp: boolean
}

/** Traverses a series forward, with only one chunk in memory at a time. */
class SeriesTraversal {
  readonly id: number
  readonly key: SeriesKey
  /** Start of the current sample, or infinity at the end. A field, because it is read in every iteration of a page. */
  time = Number.POSITIVE_INFINITY
  private readonly parts: SampleColumns[] = []
  private readonly userId: string
  private readonly to: number
  private readonly chunks: SeriesChunks
  private lastChunk: EpochMs | null = null
  private chunk: ChunkView | null = null
  /** Row after the last one of the current chunk that belongs to the query. */
  private end = 0
  /**
   * The first of the current chunk's rows that were taken. The rows taken from a series always form one contiguous range, up to the next
   * row.
   */
  private first = 0
  private row = 0

  private constructor(userId: string, series: NumberedSeries, to: number) {
    this.userId = userId
    this.id = series.id
    this.key = series.key
    this.to = to
    this.chunks = new SeriesChunks(userId, series.id)
  }

  /** Begins a traversal of [from, to]. */
  static *open(userId: string, series: NumberedSeries, from: number, to: number): Steps<SeriesTraversal> {
    const traversal = new SeriesTraversal(userId, series, to)
    yield* traversal.load(from)
    return traversal
  }

  /**
   * Takes up to `most` samples that start before `until`, all from the current chunk. If the chunk has no more rows, `load` must be called
   * next.
   */
  take(until: number, most: number): Taken {
    const chunk = this.chunk as ChunkView
    // usually, the next sample is from another series
    const next = this.row + 1
    const reached = next < this.end && chunk.startAt(next) < until ? chunk.rowAtOrAfter(until, next + 1) : next
    const end = Math.min(reached, this.end, this.row + most)
    const count = end - this.row
    const last = chunk.startAt(end - 1)
    this.row = end
    const isUsedUp = end === this.end
    if (!isUsedUp) this.time = chunk.startAt(end)
    return { count, last, isUsedUp }
  }

  /** Returns the taken samples in time order. */
  taken(): SampleColumns {
    this.keep()
    return joinColumns(this.parts)
  }

  private keep(): void {
    if (this.chunk && this.row > this.first) this.parts.push(this.chunk.rows(this.first, this.row))
    this.first = this.row
  }

  /** Moves to the first sample at or after a time. */
  *load(from: number): Steps<void> {
    this.keep()
    this.chunk = null
    this.time = Number.POSITIVE_INFINITY
    for (;;) {
      const start = yield* this.chunkReaching(from)
      if (start > this.to) return
      this.lastChunk = start
      const chunk = yield* this.chunkAt(start)
      const row = chunk.rowAtOrAfter(from)
      const end = chunk.rowAtOrAfter(this.to + 1, row)
      if (end > row) {
        this.chunk = chunk
        this.end = end
        this.time = chunk.startAt(row)
        this.first = row
        this.row = row
        return
      }
    }
  }

  /** Returns the start of the next chunk that may contain a sample at or after a time, or infinity if there is none. */
  private chunkReaching(from: number): Steps<number> {
    const { userId, id, lastChunk, chunks } = this
    return lastChunk === null
      ? remembered(`first ${userId} ${id} ${from}`, () => orInfinity(chunks.first(from)))
      : remembered(`next ${userId} ${id} ${lastChunk}`, () => orInfinity(chunks.next(lastChunk)))
  }

  /** Returns a chunk. It is cached, because consecutive pages read the same chunk, and stays packed, because a page reads few of its rows. */
  private chunkAt(start: number): Steps<ChunkView> {
    const name = `chunk ${this.userId} ${this.id} ${start}`
    return remembered(
      name,
      () => this.presentAt(start),
      chunk => chunk.memoryBytes,
    )
  }

  private *presentAt(start: number): Steps<ChunkView> {
    const view = yield* this.chunks.at(start)
    if (!view) throw yield* this.chunks.damage(start)
    return view
  }
}

function* orInfinity(reading: Steps<EpochMs | undefined>): Steps<number> {
  return (yield* reading) ?? Number.POSITIVE_INFINITY
}

/** Reads one page. Must run inside a single snapshot. */
export function* readPage(
  userId: string,
  query: SampleQuery,
  after: SamplePosition | null,
  limit: number,
): Steps<SamplePage> {
  const { resource, provider } = query
  const known = yield* remembered(`series ${userId} ${resource} ${provider ?? ''}`, () => seriesToRead(userId, query))
  const traversals: SeriesTraversal[] = []
  for (const series of known.series) {
    const past = after === null ? query.from : series.id <= after.seriesId ? after.start + 1 : after.start
    traversals.push(yield* SeriesTraversal.open(userId, series, Math.max(query.from, past), query.to))
  }
  let left = limit
  let last: SamplePosition | null = null
  while (left > 0) {
    const next = earliest(traversals)
    if (!next) break
    // a series can continue until another one is next; if starts are equal, the series with the lower number comes first
    const until = limitOfRun(traversals, next)
    const taken = next.take(until, left)
    if (taken.isUsedUp) yield* next.load(taken.last + 1)
    left -= taken.count
    last = { start: taken.last, seriesId: next.id }
  }
  return {
    slices: known.sources.flatMap(({ key, places }) => {
      const columns = places.map(place => (traversals[place] as SeriesTraversal).taken()).filter(({ n }) => n > 0)
      return columns.length === 0 ? [] : [{ series: key, columns: interleaveColumns(columns) }]
    }),
    next: earliest(traversals) ? last : null,
  }
}

/** The series of a page. */
interface SeriesToRead {
  /** By number, because a cursor names the number, and samples at the same time are in this order. */
  readonly series: readonly NumberedSeries[]
  /** The places in `series` of each source's series, which differ in app, device and kind. */
  readonly sources: readonly { readonly key: SeriesKey; readonly places: readonly number[] }[]
}

function* seriesToRead(userId: string, query: SampleQuery): Steps<SeriesToRead> {
  const series = [...(yield* listSeries(userId, query))].sort((a, b) => a.id - b.id)
  const sources = new Map<string, { readonly key: SeriesKey; readonly places: number[] }>()
  for (const [place, { key }] of series.entries())
    getOrInsert(sources, JSON.stringify(key), () => ({ key, places: [] })).places.push(place)
  return { series, sources: [...sources.values()] }
}

function earliest(traversals: readonly SeriesTraversal[]): SeriesTraversal | undefined {
  let best: SeriesTraversal | undefined
  for (const traversal of traversals) if (traversal.time < (best?.time ?? Number.POSITIVE_INFINITY)) best = traversal
  return best
}

function limitOfRun(traversals: readonly SeriesTraversal[], current: SeriesTraversal): number {
  let until = Number.POSITIVE_INFINITY
  for (const traversal of traversals) {
    if (traversal === current) continue
    const startsAt = traversal.id > current.id ? traversal.time + 1 : traversal.time
    if (startsAt < until) until = startsAt
  }
  return until
}
