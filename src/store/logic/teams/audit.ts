/** Stores the audit trail as rows. Triggers prevent them from being changed or removed. */
import type { AuditEntry, AuditQuery } from '../../audit.ts'
import { AUDIT } from '../../tables/teams.ts'
import { type Database, withWrites } from '../database.ts'
import { part, read, write } from '../part.ts'
import { storedJson } from '../rows/damage.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../rows/record-names.ts'
import { type Counted, counting, many, type Steps } from '../steps.ts'

type AuditRow = AsRow<Omit<AuditEntry, 'object'>> & { readonly object: string }

const ENTRIES = new PlainRows<AuditRow>(AUDIT)

export class AuditStore extends part({
  append: write(appendEntry),
  list: read(entries),
}) {}

/** The database for one audited call. */
interface AuditedDatabase {
  readonly db: Database
  isAudited(): boolean
  readonly owed: OwedEntry
}

/** Appends the entry in the transaction of a change that is not made by a generator, unless the call has already been audited. */
export interface OwedEntry {
  entry(): AuditEntry
  /** Must be called after the transaction has been committed. */
  written(): void
}

/** Returns the database for one call. Its first write that changes something also appends the entry. */
export function auditingDatabase(db: Database, entry: () => AuditEntry): AuditedDatabase {
  let isAudited = false
  const write = async <T>(transaction: () => Steps<T>): Promise<T> => {
    if (isAudited) return db.write(transaction)
    const { result, changes } = await db.write(() => audited(entry, transaction()))
    isAudited ||= changes > 0
    return result
  }
  const written = (): void => {
    isAudited = true
  }
  return { db: withWrites(db, { write }), isAudited: () => isAudited, owed: { entry, written } }
}

function* audited<T>(entry: () => AuditEntry, transaction: Steps<T>): Steps<Counted<T>> {
  const counted = yield* counting(transaction)
  // do not record a write that has nothing to do or finds that a name is taken
  if (counted.changes > 0) yield* appendEntry(entry())
  return counted
}

/** Appends an entry. Appending the same entry again has no effect, because two concurrent first writes of one call both append it. */
function* appendEntry(entry: AuditEntry): Steps<void> {
  yield* ENTRIES.send(toAuditRow(entry))
}

export function toAuditRow(entry: AuditEntry): AuditRow {
  return asRow({ ...entry, object: JSON.stringify(entry.object) })
}

/** Returns entries, newest first. */
function* entries({ teamId, operation, since, before, limit }: AuditQuery): Steps<AuditEntry[]> {
  const conditions: string[] = []
  const values: (string | number)[] = []
  const add = (condition: string, ...given: (string | number)[]): void => {
    conditions.push(condition)
    values.push(...given)
  }
  if (teamId !== null) add('team_id=?', teamId)
  if (operation !== null) add('operation=?', operation)
  if (since !== null) add('at>=?', since)
  if (before !== null) add('(at, entry_id) < (?,?)', before.at, before.entryId)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const rows = yield* many(ENTRIES.query(`${where} ORDER BY at DESC, entry_id DESC LIMIT ?`), [...values, limit])
  return rows.map(row => ({
    ...asRecord(row),
    object: storedJson<Record<string, string>>(row.object, () => ({
      what: 'an audit trail entry',
      userId: null,
    })),
  }))
}
