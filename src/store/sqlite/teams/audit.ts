/** The audit trail as rows, which triggers protect from being changed or removed. */
import type { TeamId } from '../../../core/ids.ts'
import type { AuditEntry, AuditQuery, AuditStore } from '../../audit.ts'
import { storedJson } from '../checksums/damage.ts'
import type { Connection } from '../connection.ts'

interface AuditRow {
  readonly team_id: string
  readonly at: number
  readonly entry_id: string
  readonly actor: string
  readonly operation: string
  readonly object: string
  readonly outcome: string
}

const COLUMNS = 'team_id, at, entry_id, actor, operation, object, outcome'

export class SqliteAudit implements AuditStore {
  private readonly db: Connection

  constructor(db: Connection) {
    this.db = db
  }

  append(entry: AuditEntry) {
    return this.db.write(() => appendEntry(this.db, entry))
  }

  list(query: AuditQuery) {
    return this.db.read(() => entries(this.db, query))
  }
}

/** Returns the connection of one call: its first write that changes something also appends the entry. */
export function auditingConnection(
  connection: Connection,
  entry: () => AuditEntry,
): { readonly connection: Connection; readonly isAudited: () => boolean } {
  let isAudited = false
  let changes = 0
  const view: Connection = Object.create(connection)
  view.run = (sql, ...values) => {
    const changed = connection.run(sql, ...values)
    changes += changed
    return changed
  }
  view.write = async <T>(body: () => T): Promise<T> => {
    if (isAudited) return connection.write(body)
    let changed = false
    const result = await connection.write(() => {
      changes = 0
      const done = body()
      // a write that finds nothing to do, or a name that is taken, has nothing to record
      changed = changes > 0
      if (changed) appendEntry(connection, entry())
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
  return { connection: view, isAudited: () => isAudited }
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
export function owedLine(connection: Connection): OwedLine | undefined {
  return owedLines.get(connection)
}

function insertion({ teamId, at, entryId, actor, operation, object, outcome }: AuditEntry): string {
  const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
  const values = [text(teamId), at, ...[entryId, actor, operation, JSON.stringify(object), outcome].map(text)]
  return `INSERT INTO audit (${COLUMNS}) VALUES (${values.join(', ')}) ON CONFLICT DO NOTHING`
}

/** Appends an entry. Two concurrent first writes of one call append the same one. */
function appendEntry(connection: Connection, entry: AuditEntry): void {
  connection.run(
    `INSERT INTO audit (${COLUMNS}) VALUES (?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`,
    entry.teamId,
    entry.at,
    entry.entryId,
    entry.actor,
    entry.operation,
    JSON.stringify(entry.object),
    entry.outcome,
  )
}

function entries(connection: Connection, { teamId, operation, since, before, limit }: AuditQuery): AuditEntry[] {
  const conditions: string[] = []
  const values: (string | number)[] = []
  const where = (condition: string, ...given: (string | number)[]): void => {
    conditions.push(condition)
    values.push(...given)
  }
  if (teamId !== null) where('team_id=?', teamId)
  if (operation !== null) where('operation=?', operation)
  if (since !== null) where('at>=?', since)
  if (before !== null) where('(at, entry_id) < (?,?)', before.at, before.entryId)
  const rows = connection.all<AuditRow>(
    `SELECT ${COLUMNS} FROM audit ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
     ORDER BY at DESC, entry_id DESC LIMIT ?`,
    ...values,
    limit,
  )
  return rows.map(row => ({
    entryId: row.entry_id,
    teamId: row.team_id as TeamId,
    at: row.at,
    actor: row.actor,
    operation: row.operation,
    object: storedJson<Record<string, string>>(row.object, () => ({
      what: 'an entry of the audit trail',
      userId: null,
    })),
    outcome: row.outcome,
  }))
}
