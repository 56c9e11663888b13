/** Reads a database copy's metadata: its creation time, its users, and its schema version. */
import { statSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import type { ClockState } from '../../../core/clock.ts'
import type { SnapshotMoment, SnapshotRecord } from '../../snapshot.ts'

/** Setting that exists only in copies. */
export const SNAPSHOT_SETTING = 'snapshot'

interface Moment {
  readonly savedAt: number
  readonly now: number
  readonly isFrozen: boolean
}

export function momentText({ real, now }: SnapshotMoment, clock: ClockState): string {
  return JSON.stringify({ savedAt: real, now, isFrozen: clock.frozenAt !== null } satisfies Moment)
}

interface Described {
  /** Null for a copy that was created by an older svc and placed here manually. */
  readonly moment: string | null
  readonly users: number
  readonly version: number
}

/** Returns a snapshot's metadata, or null if the file is not an svc database, is damaged or does not exist. */
export function describeSnapshot(name: string, path: string): SnapshotRecord | null {
  let db: InstanceType<typeof DatabaseSync> | undefined
  try {
    const { size: bytes, mtimeMs } = statSync(path)
    db = new DatabaseSync(path, { readOnly: true })
    const row = db
      .prepare(
        `SELECT (SELECT value FROM setting WHERE name='${SNAPSHOT_SETTING}') AS moment,
           (SELECT coalesce(sum(user_count), 0) FROM team) AS users,
           (SELECT user_version FROM pragma_user_version) AS version`,
      )
      .get() as Described | undefined
    if (row === undefined) return null
    const written = Math.floor(mtimeMs)
    const moment = row.moment === null ? { savedAt: written, now: written, isFrozen: false } : JSON.parse(row.moment)
    const { savedAt, now, isFrozen } = moment as Moment
    return { name, savedAt, now, isFrozen, users: row.users, bytes, schemaVersion: row.version }
  } catch {
    return null
  } finally {
    db?.close()
  }
}
