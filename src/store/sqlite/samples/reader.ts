/** Pages of samples out of chunks, in one time order over all series of a resource. */
import type { SampleColumns, SeriesKey } from '../../../core/sample.ts'
import { decodeChunk } from '../../chunk/codec.ts'
import { bytesOf, joinColumns, rowAtOrAfter, sliceColumns } from '../../chunk/columns.ts'
import { dayOf } from '../../chunk/windows.ts'
import type { SamplePage, SamplePosition, SampleQuery } from '../../port.ts'
import type { Connection } from '../connection.ts'
import { type NumberedSeries, seriesOf } from './series.ts'

/** A series walked forward, one chunk in memory at a time. */
class SeriesWalk {
  readonly id: number
  readonly key: SeriesKey
  /** Start of the sample it stands at, or infinity at the end: a field, because a page asks for it at every turn. */
  time = Number.POSITIVE_INFINITY
  private readonly parts: SampleColumns[] = []
  private readonly connection: Connection
  private readonly userId: string
  private readonly to: number
  private nextChunk: number
  private columns: SampleColumns | null = null
  /** Rows of the chunk at hand from the first that was taken up to the next: what is taken of a series is one stretch of it. */
  private first = 0
  private row = 0

  constructor(connection: Connection, userId: string, series: NumberedSeries, from: number, to: number) {
    this.connection = connection
    this.userId = userId
    this.id = series.id
    this.key = series.key
    this.to = to
    this.nextChunk = dayOf(from)
    this.load(from)
  }

  /** Takes up to `most` samples that start before `until`, all from the chunk at hand. */
  take(until: number, most: number): { readonly count: number; readonly last: number } {
    const columns = this.columns as SampleColumns
    const end = Math.min(rowAtOrAfter(columns, until, this.row + 1), this.row + most)
    const count = end - this.row
    const last = columns.start[end - 1] as number
    this.row = end
    if (end < columns.n) this.time = columns.start[end] as number
    else this.load(last + 1)
    return { count, last }
  }

  /** What was taken, in time order. */
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
    while (this.nextChunk <= this.to) {
      const start = this.chunkReaching(from)
      if (start > this.to) return
      this.nextChunk = start + 1
      const whole = this.chunk(start)
      const columns = sliceColumns(whole, rowAtOrAfter(whole, from), rowAtOrAfter(whole, this.to + 1))
      if (columns.n > 0) {
        this.columns = columns
        this.time = columns.start[0] as number
        this.first = 0
        this.row = 0
        return
      }
    }
  }

  /** Start of the next chunk with a sample at a time or later; infinity: there is none. */
  private chunkReaching(from: number): number {
    const { connection, userId, id, nextChunk } = this
    const sql = `SELECT chunk_start FROM chunk
       WHERE user_id=? AND series_id=? AND chunk_start>=? AND last>=? ORDER BY chunk_start LIMIT 1`
    return connection.remembered(`place ${userId} ${id} ${nextChunk} ${from}`, () => {
      const chunk = connection.get<{ chunk_start: number }>(sql, userId, id, nextChunk, from)
      return chunk?.chunk_start ?? Number.POSITIVE_INFINITY
    })
  }

  /** Page follows page within a dense chunk: it is unpacked once for all of them. */
  private chunk(start: number): SampleColumns {
    const read = (): SampleColumns => {
      const sql = 'SELECT data FROM chunk WHERE user_id=? AND series_id=? AND chunk_start=?'
      const chunk = this.connection.get<{ data: Uint8Array }>(sql, this.userId, this.id, start)
      if (!chunk) throw new Error('a chunk that was there in the same snapshot')
      return decodeChunk(chunk.data)
    }
    return this.connection.rememberedBytes(`chunk ${this.userId} ${this.id} ${start}`, read, bytesOf)
  }
}

/** One page; must run inside one snapshot. */
export function readPage(
  connection: Connection,
  userId: string,
  query: SampleQuery,
  after: SamplePosition | null,
  limit: number,
): SamplePage {
  const { resource, provider } = query
  const all = connection.remembered(`series ${userId} ${resource} ${provider ?? ''}`, () =>
    seriesOf(connection, userId, query),
  )
  const walks = all.map(series => {
    const past = after === null ? query.from : series.id <= after.seriesId ? after.start + 1 : after.start
    return new SeriesWalk(connection, userId, series, Math.max(query.from, past), query.to)
  })
  let left = limit
  let last: SamplePosition | null = null
  while (left > 0) {
    const next = earliest(walks)
    if (!next) break
    // it may run on until another series' turn; at an equal start the lower number goes first
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
