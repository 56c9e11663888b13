/** Checks a store against itself, piece by piece: no piece holds a snapshot for more than a moment, and memory use stays flat. */
import { resourceNamed } from '../../../catalogue/resources.ts'
import { ServiceError } from '../../../core/errors.ts'
import type { UserId } from '../../../core/ids.ts'
import { DAY_MS, formatInstant } from '../../../core/time.ts'
import { nextTurn } from '../../../core/turns.ts'
import { dayOf } from '../../chunk/windows.ts'
import { isBehind, requireProgress } from '../../logic/rows/damage.ts'
import type { CheckProgress, StoreProblem } from '../../upkeep.ts'
import { checkContinuousQueries } from '../continuous/check.ts'
import type { SqliteDatabase } from '../database.ts'
import { LOCK_WAIT_MS, pauseBetweenTries } from '../lock-wait.ts'
import { busyError } from '../service-error.ts'
import { openSideThread, type SideThread } from '../side-thread.ts'
import { checkChecksums } from './checksums.ts'
import { type ChunkRow, disagreeOnSpan, faultsOfChunk } from './chunk.ts'
import { checkDocuments } from './documents.ts'
import { checkOrders } from './orders.ts'
import { checkUsers } from './users.ts'

/** Number of chunks read in one transaction. */
const CHUNKS_AT_ONCE = 16
/** SQLite stops looking after this many problems. */
const MOST_DATABASE_PROBLEMS = 100

/** Yields one problem at a time, described without a value. Throws only errors that are not damage: a lock, or a bug. */
export async function* checkStore(
  db: SqliteDatabase,
  onProgress: (progress: CheckProgress) => void = () => {},
): AsyncIterable<StoreProblem> {
  yield* checkFile(db.path)
  // a damaged user_id names nobody, so these problems are not filtered by user
  yield* checkChecksums(db)
  const parts = [
    checkUsers(db),
    checkChunks(db, onProgress),
    checkDocuments(db),
    checkContinuousQueries(db),
    checkOrders(db),
  ]
  for (const part of parts) yield* readable(db, part)
}

/**
 * Reports what SQLite itself finds: pages, indexes, constraints, references. It has a thread of its own, because it reads the whole file.
 */
async function* checkFile(path: string): AsyncIterable<StoreProblem> {
  const side = await openSideThread(path)
  try {
    const found = await read<{ integrity_check: string }>(side, `PRAGMA integrity_check(${MOST_DATABASE_PROBLEMS})`)
    for (const { integrity_check: message } of found) {
      if (message !== 'ok') yield { what: 'database', userId: null, message }
    }
    const orphans = await read<{ table: string; parent: string }>(side, 'PRAGMA foreign_key_check')
    for (const { table, parent } of orphans) {
      yield { what: 'database', userId: null, message: `a row of ${table} refers to a ${parent} that does not exist` }
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'data_damaged') throw error
    yield { what: 'database', userId: null, message: 'the file cannot be read completely' }
  } finally {
    await side.close()
  }
}

/**
 * Runs a statement. A process that recovers the WAL, for example, locks readers out for a moment. Throws `store_busy` if that takes too
 * long; then nothing was checked.
 */
async function read<Row>(side: SideThread, sql: string): Promise<readonly Row[]> {
  const deadline = Date.now() + LOCK_WAIT_MS
  for (;;) {
    const rows = await side.rows<Row>(sql)
    if (rows !== null) return rows
    if (Date.now() > deadline) throw busyError()
    await pauseBetweenTries()
  }
}

/**
 * Runs one part of the check. A damaged page ends that part; the others continue. Problems of a user who is purged in the meantime are
 * dropped. The check of users finds rows that outlive their user.
 */
async function* readable(db: SqliteDatabase, part: AsyncIterable<StoreProblem>): AsyncIterable<StoreProblem> {
  try {
    for await (const problem of part) {
      if (problem.what === 'user' || (await userIsThere(db, problem.userId))) yield problem
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'data_damaged') throw error
    yield { what: 'database', userId: null, message: 'a page is damaged: the data behind it could not be checked' }
  }
}

async function userIsThere(db: SqliteDatabase, userId: UserId | null): Promise<boolean> {
  if (userId === null) return true
  return db.read(() => db.get('SELECT 1 FROM user WHERE user_id=?', userId) !== undefined)
}

interface SeriesRow {
  readonly series_id: number
  readonly resource: string
}

async function* checkChunks(
  db: SqliteDatabase,
  onProgress: (progress: CheckProgress) => void,
): AsyncIterable<StoreProblem> {
  const totalBytes = await db.read(
    () => db.get<{ bytes: number | null }>('SELECT sum(length(data)) AS bytes FROM chunk')?.bytes ?? 0,
  )
  let [doneBytes, chunks, samples] = [0, 0, 0]
  let before: ChunkRow | undefined
  for (;;) {
    const after = before
    const { rows, series } = await db.read(() => someChunks(db, after))
    for (const row of rows) {
      const where = `chunk of series ${row.series_id} at ${placeOf(row)}`
      const resource = series.get(`${row.user_id} ${row.series_id}`)
      const faults = faultsOfChunk(row)
      if (resource === undefined) faults.push('there is no such series')
      else if (!resourceNamed(resource)) faults.push('its series has a resource that the catalogue does not know')
      const isMixed = before !== undefined && disagreeOnSpan(before, row)
      // the day may have been split between the two reads
      if (isMixed && (await hasTwoSpans(db, row))) faults.push('its day has windows of two lengths')
      for (const fault of faults) yield { what: 'chunk', userId: row.user_id as UserId, message: `${where}: ${fault}` }
      before = row
      chunks++
      samples += row.n
      doneBytes += row.data.byteLength
    }
    onProgress({ doneBytes, totalBytes: Math.max(totalBytes, doneBytes), chunks, samples })
    if (rows.length < CHUNKS_AT_ONCE) return
    if (after && before) requireProgress(isBehind(before, after, ['user_id', 'series_id', 'chunk_start']), 'chunks')
    await nextTurn()
  }
}

/** Returns the next chunks in the order of their key, and the resources of the series they may belong to, from one snapshot. */
function someChunks(
  db: SqliteDatabase,
  after: ChunkRow | undefined,
): { readonly rows: readonly ChunkRow[]; readonly series: ReadonlyMap<string, string> } {
  const rows = db.all<ChunkRow>(
    `SELECT user_id, series_id, chunk_start, span, n, first, last, min, max, sum, data FROM chunk
     WHERE (user_id, series_id, chunk_start) > (?,?,?) ORDER BY user_id, series_id, chunk_start LIMIT ?`,
    after?.user_id ?? '',
    after?.series_id ?? 0,
    after?.chunk_start ?? 0,
    CHUNKS_AT_ONCE,
  )
  const series = new Map<string, string>()
  for (const userId of new Set(rows.map(row => row.user_id))) {
    const own = db.all<SeriesRow>('SELECT series_id, resource FROM series WHERE user_id=?', userId)
    for (const each of own) series.set(`${userId} ${each.series_id}`, each.resource)
  }
  return { rows, series }
}

/** Looks at the whole day in one snapshot. */
async function hasTwoSpans(db: SqliteDatabase, row: ChunkRow): Promise<boolean> {
  const day = dayOf(row.chunk_start)
  const found = await db.read(() =>
    db.get<{ spans: number }>(
      `SELECT count(DISTINCT span) AS spans FROM chunk
       WHERE user_id=? AND series_id=? AND chunk_start>=? AND chunk_start<?`,
      row.user_id,
      row.series_id,
      day,
      day + DAY_MS,
    ),
  )
  return (found?.spans ?? 0) > 1
}

/** Returns the start of a chunk as a text. A damaged time may have no date. */
function placeOf(row: ChunkRow): string {
  return Math.abs(row.chunk_start) <= 8.64e15 ? formatInstant(row.chunk_start) : `${row.chunk_start}`
}
