/** Which tables a call uses, as its SQL statements name them. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { SqliteDatabase } from '../../../src/store/sqlite/database.ts'

export interface Tables {
  readonly named: readonly string[]
  readonly written: readonly string[]
}

/** Runs the call and returns its tables. It opens and closes the folder, so that there is no cached data from other calls. */
export async function changedTables(folder: string, call: () => Promise<void>): Promise<Tables> {
  const statements = new Set<string>()
  const { all, exec, get, run } = SqliteDatabase.prototype
  const noting = (method: (sql: string, ...values: never[]) => unknown) =>
    function (this: SqliteDatabase, sql: string, ...values: never[]): unknown {
      statements.add(sql)
      return method.call(this, sql, ...values)
    }
  Object.assign(SqliteDatabase.prototype, { all: noting(all), exec: noting(exec), get: noting(get), run: noting(run) })
  try {
    await call()
  } finally {
    Object.assign(SqliteDatabase.prototype, { all, exec, get, run })
  }
  const db = new DatabaseSync(join(folder, 'svc.db'), { readOnly: true })
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type='table'").all() as { name: string }[]
  db.close()
  const having = (before: string): string[] =>
    tables.flatMap(({ name }) => {
      const pattern = new RegExp(`${before}\\b${name}\\b`, 'i')
      return [...statements].some(sql => pattern.test(sql)) ? [name] : []
    })
  return { named: having(''), written: having('\\b(INSERT( OR \\w+)? INTO|UPDATE( OR \\w+)?|DELETE FROM)\\s+') }
}
