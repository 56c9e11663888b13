/** Pages of samples from chunks, in one time order over all series of a resource. */
import { type SampleColumns, type SeriesKey, startAt } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { bytesOf, joinColumns, rowAtOrAfter, sliceColumns } from '../../chunk/columns.ts'
import { unpacked } from '../../chunk/view.ts'
import type { SamplePage, SamplePosition, SampleQuery } from '../../port.ts'
import { SeriesChunks } from '../checksums/chunk-data.ts'
import type { Connection } from '../connection.ts'
import { type NumberedSeries, seriesOf } from './series.ts'

/** Walks forward through a series, with one chunk in memory at a time. */
class SeriesWalk {
  readonly id: number
  readonly key: SeriesKey
  /** Start of the current sample, or infinity at the end. It is a field because a page reads it at every turn. */
  time = Number.POSITIVE_INFINITY
  private readonly parts: SampleColumns[] = []
  private readonly db: Connection
  private readonly userId: string
  private readonly to: number
  private readonly chunks: SeriesChunks
  private lastChunk: EpochMs | null = null
  private columns: SampleColumns | null = null
  /** Rows of the current chunk from the first one taken up to the next one: what is taken of a series is one contiguous range. */
  private first = 0
  private row = 0

  constructor(db: Connection, userId: string, series: NumberedSeries, from: number, to: number) {
    this.db = db
    this.userId = userId
    this.id = series.id
    this.key = series.key
    this.to = to
    this.chunks = new SeriesChunks(db, userId, series.id)
    this.load(from)
  }

  /** Takes up to `most` samples that start before `until`, all from the current chunk. */
  take(until: number, most: number): { readonly count: number; readonly last: number } {
    const columns = this.columns as SampleColumns
    const end = Math.min(rowAtOrAfter(columns, until, this.row + 1), this.row + most)
    const count = end - this.row
    const last = startAt(columns, end - 1)
    this.row = end
    if (end < columns.n) this.time = startAt(columns, end)
    else this.load(last + 1)
    return { count, last }
  }

  /** Returns what was taken, in time order. */
  taken(): SampleColumns {
    this.keep()
    return joinColumns(this.parts)
  }

  private keep(): void {
    if (this.columns && this.row > this.first) this.parts.push(sliceColumns(this.columns, this.first, this.row))
    this.first = this.row
  }

  private load(from: number): void {
    this.keep()
    this.columns = null
    this.time = Number.POSITIVE_INFINITY
    for (;;) {
      const start = this.chunkReaching(from)
      if (start > this.to) return
      this.lastChunk = start
      const whole = this.chunk(start)
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

  /** Returns the start of the next chunk that may have a sample at a time or later, or infinity if there is none. */
  private chunkReaching(from: number): number {
    const { db, userId, id, lastChunk, chunks } = this
    const name = lastChunk === null ? `first ${userId} ${id} ${from}` : `next ${userId} ${id} ${lastChunk}`
    const read = (): EpochMs | undefined => (lastChunk === null ? chunks.first(from) : chunks.next(lastChunk))
    return db.remembered(name, () => read() ?? Number.POSITIVE_INFINITY)
  }

  /** Several pages follow each other within a dense chunk, so it is unpacked once for all of them. */
  private chunk(start: number): SampleColumns {
    const read = (): SampleColumns => {
      const view = this.chunks.at(start)
      if (!view) throw this.chunks.damage(start)
      return unpacked(view)
    }
    return this.db.rememberedBytes(`chunk ${this.userId} ${this.id} ${start}`, read, bytesOf)
  }
}

/** Reads one page. Must run inside one snapshot. */
export function readPage(
  db: Connection,
  userId: string,
  query: SampleQuery,
  after: SamplePosition | null,
  limit: number,
): SamplePage {
  const { resource, provider } = query
  const all = db.remembered(`series ${userId} ${resource} ${provider ?? ''}`, () => seriesOf(db, userId, query))
  const walks = all.map(series => {
    const past = after === null ? query.from : series.id <= after.seriesId ? after.start + 1 : after.start
    return new SeriesWalk(db, userId, series, Math.max(query.from, past), query.to)
  })
  let left = limit
  let last: SamplePosition | null = null
  while (left > 0) {
    const next = earliest(walks)
    if (!next) break
    // it may run on until it is the turn of another series; at an equal start the lower number goes first
    const until = nextTurn(walks, next)
    const taken = next.take(until, left)
    left -= taken.count
    last = { start: taken.last, seriesId: next.id }
  }
  return {
    slices: walks.map(walk => ({ series: walk.key, columns: walk.taken() })).filter(({ columns }) => columns.n > 0),
    next: earliest(walks) ? last : null,
  }
}

function earliest(walks: readonly SeriesWalk[]): SeriesWalk | undefined {
  let best: SeriesWalk | undefined
  for (const walk of walks) if (walk.time < (best?.time ?? Number.POSITIVE_INFINITY)) best = walk
  return best
}

function nextTurn(walks: readonly SeriesWalk[], current: SeriesWalk): number {
  let until = Number.POSITIVE_INFINITY
  for (const walk of walks) {
    if (walk === current) continue
    const turn = walk.id > current.id ? walk.time + 1 : walk.time
    if (turn < until) until = turn
  }
  return until
}
