/** Writes the responses for all users as a Parquet dataset, partitioned by user bucket, that analytics engines can read directly. */
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { makeFolder } from '../../core/synced-file.ts'
import type { Cell } from '../../table/cells.ts'
import { columnTypes } from '../../table/columns.ts'
import type { ParquetFile } from '../../table/parquet.ts'
import { plainCells } from '../../table/plain-cells.ts'
import type { ColumnType, ResultTable } from '../../table/table.ts'
import { saveFile } from '../output/output-file.ts'
import { asOnePiece } from '../output/response-bytes.ts'
import {
  type DatasetManifest,
  type FinishedBucket,
  isFinished,
  openManifest,
  removeTemporaryFiles,
  saveManifest,
  usersHash,
} from './dataset-manifest.ts'

/** Number of folders. A user is always in the same folder. */
export const BUCKETS = 16
/** Number of rows to collect in memory before writing them as a row group. */
const GROUP_ROWS = 65_536

export interface DatasetSource {
  readonly users: readonly string[]
  readonly query: unknown
  /** Hash of the query and the data origin (`datasetHash`). */
  readonly hash: string
  /** Returns the response for a user; undefined when the user no longer exists. */
  readonly readTable: (userId: string) => Promise<ResultTable | undefined>
}

/** Summary of the written dataset, as --json prints it. */
export interface SavedDataset {
  readonly folder: string
  readonly users: number
  readonly rows: number
  readonly files: number
  readonly bytes: number
  /** Number of buckets finished by an earlier run. */
  readonly kept_buckets: number
}

/** Returns a user's bucket: the first byte of the SHA-256 of the user_id, modulo 16. */
export function userBucket(userId: string): number {
  return createHash('sha256').update(userId).digest().readUInt8(0) % BUCKETS
}

/**
 * Writes the buckets one by one, each completely or not at all. Keeps buckets that an earlier run of the same query finished. Throws
 * ServiceError `usage`, `disk_full` and `cancelled`, and any error of `readTable`.
 */
export async function saveDataset(
  folder: string,
  source: DatasetSource,
  signal: AbortSignal,
  onUser: (done: number, total: number) => void,
): Promise<SavedDataset> {
  const { hash, query } = source
  let manifest = await openManifest(folder, { hash, query, buckets: BUCKETS })
  makeOutputFolder(folder)
  const buckets = splitIntoBuckets(source.users)
  const schema = new OneSchema()
  let [done, kept] = [0, 0]
  for (const [bucket, users] of buckets.entries()) {
    const name = String(bucket).padStart(2, '0')
    const file = path.join(folder, `bucket=${name}`, 'part-0.parquet')
    if (await isFinished(manifest, name, users, file)) {
      kept += 1
      done += users.length
      onUser(done, source.users.length)
      continue
    }
    await removeTemporaryFiles(path.dirname(file))
    const onOne = () => onUser(++done, source.users.length)
    const written = await saveBucket(file, users, { source, signal, schema, onOne })
    manifest = { ...manifest, finished: { ...manifest.finished, [name]: written } }
    await saveManifest(folder, manifest)
  }
  manifest = await withoutRows(folder, manifest, schema)
  return summed(folder, manifest, kept)
}

interface BucketContext {
  readonly source: DatasetSource
  readonly signal: AbortSignal
  readonly schema: OneSchema
  readonly onOne: () => void
}

async function saveBucket(file: string, users: readonly string[], context: BucketContext): Promise<FinishedBucket> {
  const count = { rows: 0 }
  const pieces = bucketPieces(users, context, count)
  const first = await pieces.next()
  const who = { users: users.length, users_hash: usersHash(users) }
  if (first.done) {
    // A file from an earlier run belongs to users who no longer exist.
    await rm(file, { force: true })
    return { ...who, rows: 0, bytes: 0 }
  }
  makeOutputFolder(path.dirname(file))
  const { bytes } = await saveFile(
    file,
    (async function* () {
      yield first.value
      yield* pieces
    })(),
  )
  return { ...who, rows: count.rows, bytes }
}

/** Yields a bucket's file, or nothing if none of its users has rows. */
async function* bucketPieces(
  users: readonly string[],
  { source, signal, schema, onOne }: BucketContext,
  count: { rows: number },
): AsyncGenerator<Uint8Array> {
  let file: ParquetFile | undefined
  let waiting: Cell[][] = []
  const write = async (): Promise<Uint8Array> => {
    file ??= await schema.open()
    const bytes = file.rows(waiting)
    waiting = []
    return bytes
  }
  for (const userId of users) {
    if (signal.aborted) throw cancelledExport()
    const table = await source.readTable(userId)
    onOne()
    if (!table) continue
    schema.check(table)
    if (table.numRows === 0) continue
    const cells = [new Array<Cell>(table.numRows).fill(userId), ...plainCells(table)]
    if (waiting.length === 0) waiting = cells.map(() => [])
    for (const [i, column] of cells.entries()) for (const cell of column) waiting[i]?.push(cell)
    count.rows += table.numRows
    if ((waiting[0]?.length ?? 0) >= GROUP_ROWS) yield await write()
  }
  if (waiting.length > 0) yield await write()
  if (file) yield file.end()
}

/** Columns of every file: `user_id`, then the columns of the first response. */
class OneSchema {
  private columns: readonly ColumnType[] | undefined

  /** Throws when a response has different columns, because an engine could not read the files as one table. */
  check(table: ResultTable): void {
    const columns = [{ name: 'user_id', kind: 'text' } as const, ...columnTypes(table)]
    this.columns ??= columns
    if (JSON.stringify(columns) === JSON.stringify(this.columns)) return
    throw new ServiceError('bad_response', 'The responses for two users have different columns.')
  }

  get isKnown(): boolean {
    return this.columns !== undefined
  }

  async open(): Promise<ParquetFile> {
    const { openParquet } = await import('../../table/parquet.ts')
    return openParquet(this.columns ?? [])
  }
}

/** Writes a file that has the columns but no rows, if there are users but no rows. */
async function withoutRows(folder: string, manifest: DatasetManifest, schema: OneSchema): Promise<DatasetManifest> {
  if (!schema.isKnown || Object.values(manifest.finished).some(each => each.bytes > 0)) return manifest
  const file = path.join(folder, 'bucket=00', 'part-0.parquet')
  makeOutputFolder(path.dirname(file))
  const empty = await schema.open()
  const { bytes } = await saveFile(file, asOnePiece(empty.end()))
  const first = { ...(manifest.finished['00'] ?? { users: 0, rows: 0 }), bytes }
  const saved = { ...manifest, finished: { ...manifest.finished, '00': first } }
  await saveManifest(folder, saved)
  return saved
}

function splitIntoBuckets(users: readonly string[]): string[][] {
  const buckets = Array.from({ length: BUCKETS }, (): string[] => [])
  for (const userId of users) buckets[userBucket(userId)]?.push(userId)
  // sorted, so that the order of the list does not matter
  return buckets.map(each => each.sort())
}

function summed(folder: string, { finished }: DatasetManifest, kept: number): SavedDataset {
  const all = Object.values(finished)
  const sum = (of: (each: FinishedBucket) => number) => all.reduce((total, each) => total + of(each), 0)
  return {
    folder,
    users: sum(({ users }) => users),
    rows: sum(({ rows }) => rows),
    files: sum(({ bytes }) => (bytes > 0 ? 1 : 0)),
    bytes: sum(({ bytes }) => bytes),
    kept_buckets: kept,
  }
}

function makeOutputFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (cause) {
    throw new ServiceError('usage', `The folder ${folder} cannot be created.`, { cause })
  }
}

/** Returns the error for Ctrl-C, which is the same at every step. */
export function cancelledExport(cause?: unknown): ServiceError {
  return new ServiceError('cancelled', 'Cancelled. Finished buckets are kept. Repeat the command to continue.', {
    cause,
  })
}
