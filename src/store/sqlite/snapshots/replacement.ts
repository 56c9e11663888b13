/**
 * Replaces the current state with another one, in one transaction on a handle in a separate thread, so that the event loop is not blocked
 * and readers see either the old or the new state.
 */

import { type OwedEntry, toAuditRow } from '../../logic/teams/audit.ts'
import { EPOCH } from '../../logic/teams/settings.ts'
import type { Replaced } from '../../snapshot.ts'
import { AUDIT } from '../../tables/teams.ts'
import { openSideThread, type SideThread } from '../side-thread.ts'
import { patiently, sqlLiteral } from './copy.ts'

export interface Replacement {
  readonly database: string
  /** The audit trail entry that is written in the same transaction. */
  readonly owed: OwedEntry | undefined
  readonly signal: AbortSignal | undefined
  /** Runs before the transaction, because a database cannot be attached inside one. */
  readonly before?: (run: Run) => Promise<void>
  readonly inside: (run: Run, tables: readonly string[]) => Promise<void>
}

/** Runs a statement and returns its rows. */
export type Run = <Row = unknown>(sql: string) => Promise<readonly Row[]>

/**
 * Replaces the state. Throws ServiceError `store_busy`, `disk_full`, `data_folder` or the error from `inside`, without changing anything.
 */
export async function replaceState(replacement: Replacement): Promise<Replaced> {
  const { database, owed, signal } = replacement
  const thread = await openSideThread(database)
  try {
    const run: Run = async sql => {
      signal?.throwIfAborted()
      return patiently(thread, sql, signal)
    }
    await run('PRAGMA temp_store=MEMORY')
    // rows are removed and added table by table, and `inside` handles the references
    await run('PRAGMA foreign_keys=OFF')
    await replacement.before?.(run)
    await run('BEGIN IMMEDIATE')
    try {
      const replaced = await inside(run, replacement)
      await run('COMMIT')
      owed?.written()
      return replaced
    } catch (error) {
      await rollBack(thread)
      throw error
    }
  } finally {
    await thread.close()
  }
}

async function inside(run: Run, { inside, owed }: Replacement): Promise<Replaced> {
  const usersBefore = await countUsers(run)
  const tables = await run<{ name: string }>(
    "SELECT name FROM main.sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  )
  await inside(
    run,
    tables.map(({ name }) => name).filter(name => name !== AUDIT.name),
  )
  await run(
    `INSERT INTO main.setting (name, value) VALUES ('${EPOCH}', 1) ON CONFLICT (name) DO UPDATE SET value=value+1`,
  )
  if (owed) await run(insertStatement(owed))
  const [row] = await run<{ epoch: number }>(`SELECT value AS epoch FROM main.setting WHERE name='${EPOCH}'`)
  return { usersBefore, usersAfter: await countUsers(run), epoch: row?.epoch ?? 0 }
}

function insertStatement(owed: OwedEntry): string {
  const row = Object.entries(toAuditRow(owed.entry()))
  const values = row.map(([, value]) => (typeof value === 'number' ? value : sqlLiteral(value)))
  return `INSERT INTO main.audit (${row.map(([name]) => name).join(', ')}) VALUES (${values.join(', ')}) ON CONFLICT DO NOTHING`
}

async function countUsers(run: Run): Promise<number> {
  const [row] = await run<{ users: number }>('SELECT coalesce(sum(user_count), 0) AS users FROM main.team')
  return row?.users ?? 0
}

/** Rolls back. After some errors, such as a full disk, the transaction no longer exists. */
async function rollBack(thread: SideThread): Promise<void> {
  await thread.rows('ROLLBACK').catch(() => {})
}
