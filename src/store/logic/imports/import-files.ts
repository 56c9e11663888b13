/** Stores the content of imported files in sealed parts, if the team keeps it. See docs/storage.md. */
import type { UserId } from '../../../core/ids.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { ImportFilePart, KeptImportFile } from '../../data-write.ts'
import { IMPORT_FILE } from '../../tables/data.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { IMPORTS } from '../rows/tables.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'
import { requireActive } from '../users/users.ts'

interface FileRow {
  readonly user_id: UserId
  readonly import_id: string
  readonly part: number
  readonly at: number
  readonly sealed: Uint8Array
}

type HeadRow = Pick<FileRow, 'user_id' | 'import_id' | 'at'>

/** Time after which a file without an import is left over from a process that was killed. */
const UNFINISHED_MS = DAY_MS

const PARTS = new PlainRows<FileRow>(IMPORT_FILE)
const FIND_PART = query<Pick<FileRow, 'sealed'>>(
  'SELECT sealed FROM import_file WHERE user_id=? AND import_id=? AND part=?',
)
const REMOVE_FILE = command('DELETE FROM import_file WHERE user_id=? AND import_id=?')
const FILES_OF = query<Pick<FileRow, 'import_id'>>(
  dialect => `SELECT import_id FROM import_file WHERE part=0 AND user_id IN (${dialect.listed})`,
)
const HEADS = query<HeadRow>(
  `SELECT user_id, import_id, at FROM import_file WHERE part=0 AND (at, user_id, import_id)>(?,?,?)
   ORDER BY at, user_id, import_id LIMIT ?`,
)
const FIND_IMPORT = IMPORTS.query('WHERE user_id=? AND import_id=?')
const DAYS_KEPT = query<{ readonly days: number | null }>(
  'SELECT keep_import_days AS days FROM user JOIN team USING (team_id) WHERE user_id=?',
)

/** Stores one part. Throws ServiceError `user_not_found`, because nothing may follow a deletion. */
export function* addFilePart(userId: UserId, { importId, part, at, sealed }: ImportFilePart): Steps<void> {
  yield* requireActive(userId)
  yield* PARTS.send({ user_id: userId, import_id: importId, part, at, sealed })
}

/** Returns a sealed part of a kept file, or null if there is none. */
export function* findFilePart(userId: UserId, importId: string, part: number): Steps<Uint8Array | null> {
  return (yield* one(FIND_PART, [userId, importId, part]))?.sealed ?? null
}

/** Removes a kept file. Returns the number of its parts. */
export function* removeFile(userId: UserId, importId: string): Steps<number> {
  return yield* run(REMOVE_FILE, [userId, importId])
}

/** Returns the IDs of these users' imports whose files are kept. */
export function* keptFilesOf(userIds: readonly string[]): Steps<ReadonlySet<string>> {
  const rows = yield* many(FILES_OF, [JSON.stringify([...new Set(userIds)])])
  return new Set(rows.map(row => row.import_id))
}

/** Returns the kept files of all users after this one, oldest first. */
export function* listFiles(after: KeptImportFile | null, limit: number): Steps<KeptImportFile[]> {
  const from = after === null ? [Number.MIN_SAFE_INTEGER, '', ''] : [after.at, after.userId, after.importId]
  const rows = yield* many(HEADS, [...from, limit])
  return rows.map(({ user_id: userId, import_id: importId, at }) => ({ userId, importId, at }))
}

/**
 * Removes a kept file if its team no longer keeps it, its import was undone, or its import was never stored. Returns whether the file was
 * removed. `now` is real time.
 */
export function* removeOldFile(userId: UserId, { importId, at }: KeptImportFile, now: EpochMs): Steps<boolean> {
  const days = (yield* one(DAYS_KEPT, [userId]))?.days ?? 0
  const row = yield* one(FIND_IMPORT, [userId, importId])
  const isWanted = row ? row.undone_at === null && at > now - days * DAY_MS : at > now - UNFINISHED_MS
  return !isWanted && (yield* run(REMOVE_FILE, [userId, importId])) > 0
}
