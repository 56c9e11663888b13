/** The audit trail as rows, which triggers protect from being changed or removed. */
import type { AuditEntry, AuditQuery, AuditStore } from '../../audit.ts'
import { storedJson } from '../checksums/damage.ts'
import type { Connection } from '../connection.ts'
import { Part } from '../part.ts'
import { PlainRows } from '../plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../record-names.ts'

type AuditRow = AsRow<Omit<AuditEntry, 'object'>> & { readonly object: string }

const AUDIT = new PlainRows<AuditRow>('audit', ['team_id', 'at', 'entry_id', 'actor', 'operation', 'object', 'outcome'])

export class SqliteAudit extends Part implements AuditStore {
  append(entry: AuditEntry) {
    return this.db.write(() => appendEntry(this.db, entry))
  }

  list(query: AuditQuery) {
    return this.db.read(() => entries(this.db, query))
  }
}

/** Returns the connection of one call: its first write that changes something also appends the entry. */
export function auditingConnection(
  db: Connection,
  entry: () => AuditEntry,
): { readonly db: Connection; readonly isAudited: () => boolean } {
  let isAudited = false
  let changes = 0
  const view: Connection = Object.create(db)
  view.run = (sql, ...values) => {
    const changed = db.run(sql, ...values)
    changes += changed
    return changed
  }
  view.write = async <T>(body: () => T): Promise<T> => {
    if (isAudited) return db.write(body)
    let changed = false
    const result = await db.write(() => {
      changes = 0
      const done = body()
      // a write that finds nothing to do, or a name that is taken, has nothing to record
      changed = changes > 0
      if (changed) appendEntry(db, entry())
      return done
    })
    isAudited ||= changed
    return result
  }
  owedLines.set(view, {
    get sql() {
      return insertion(entry())
    },
    written() {
      isAudited = true
    },
  })
  return { db: view, isAudited: () => isAudited }
}

/** The entry that a call still has to append, for a change that another connection makes: it goes into the same transaction. */
export interface OwedLine {
  readonly sql: string
  /** To be called once it is committed. */
  written(): void
}

/** Global, because its keys are the connections themselves: nothing is shared between two of them. */
const owedLines = new WeakMap<Connection, OwedLine>()

/** Returns the owed entry of a call's connection, or undefined if none is to be written. */
export function owedLine(db: Connection): OwedLine | undefined {
  return owedLines.get(db)
}

function insertion({ teamId, at, entryId, actor, operation, object, outcome }: AuditEntry): string {
  const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
  const values = [text(teamId), at, ...[entryId, actor, operation, JSON.stringify(object), outcome].map(text)]
  return `INSERT INTO audit (${AUDIT.columns}) VALUES (${values.join(', ')}) ON CONFLICT DO NOTHING`
}

/** Appends an entry. Two concurrent first writes of one call append the same one. */
function appendEntry(db: Connection, entry: AuditEntry): void {
  AUDIT.insert(db, asRow({ ...entry, object: JSON.stringify(entry.object) }), 'ON CONFLICT DO NOTHING')
}

function entries(db: Connection, { teamId, operation, since, before, limit }: AuditQuery): AuditEntry[] {
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
  const rows = AUDIT.all(db, `${where} ORDER BY at DESC, entry_id DESC LIMIT ?`, ...values, limit)
  return rows.map(row => ({
    ...asRecord(row),
    object: storedJson<Record<string, string>>(row.object, () => ({
      what: 'an entry of the audit trail',
      userId: null,
    })),
  }))
}
