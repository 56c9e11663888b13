/** Reads pages of samples from chunks, in one time order across all series of a resource. */
import { type SampleColumns, type SeriesKey, startAt } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { approximateBytes, joinColumns, rowAtOrAfter, sliceColumns } from '../../chunk/columns.ts'
import { buildColumns } from '../../chunk/view.ts'
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
  private columns: SampleColumns | null = null
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
    const columns = this.columns as SampleColumns
    const end = Math.min(rowAtOrAfter(columns, until, this.row + 1), this.row + most)
    const count = end - this.row
    const last = startAt(columns, end - 1)
    this.row = end
    const isUsedUp = end === columns.n
    if (!isUsedUp) this.time = startAt(columns, end)
    return { count, last, isUsedUp }
  }

  /** Returns the taken samples in time order. */
  taken(): SampleColumns {
    this.keep()
    return joinColumns(this.parts)
  }

  private keep(): void {
    if (this.columns && this.row > this.first) this.parts.push(sliceColumns(this.columns, this.first, this.row))
    this.first = this.row
  }

  /** Moves to the first sample at or after a time. */
  *load(from: number): Steps<void> {
    this.keep()
    this.columns = null
    this.time = Number.POSITIVE_INFINITY
    for (;;) {
      const start = yield* this.chunkReaching(from)
      if (start > this.to) return
      this.lastChunk = start
      const whole = yield* this.chunk(start)
      const columns = sliceColumns(whole, rowAtOrAfter(whole, from), rowAtOrAfter(whole, this.to + 1))
      if (columns.n > 0) {
        this.columns = columns
        this.time = startAt(columns, 0)
        this.first = 0
        this.row = 0
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

  /** Returns an unpacked chunk. A dense chunk contains several consecutive pages, so it is unpacked once for all of them. */
  private chunk(start: number): Steps<SampleColumns> {
    return remembered(`chunk ${this.userId} ${this.id} ${start}`, () => this.unpackedAt(start), approximateBytes)
  }

  private *unpackedAt(start: number): Steps<SampleColumns> {
    const view = yield* this.chunks.at(start)
    if (!view) throw yield* this.chunks.damage(start)
    return buildColumns(view)
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
  const all = yield* remembered(`series ${userId} ${resource} ${provider ?? ''}`, () => listSeries(userId, query))
  const traversals: SeriesTraversal[] = []
  for (const series of all) {
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
    slices: traversals
      .map(traversal => ({ series: traversal.key, columns: traversal.taken() }))
      .filter(({ columns }) => columns.n > 0),
    next: earliest(traversals) ? last : null,
  }
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
