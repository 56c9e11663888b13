/** The catalogue of tables describes the content of a database, whether it is new or was migrated to the newest schema. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { openDataFolder } from '../../src/store/folder/data-folder.ts'
import { SQLITE } from '../../src/store/sqlite/dialect.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { TABLES, tablesIn, USER_TABLES } from '../../src/store/tables/catalogue.ts'
import { columnsThat } from '../../src/store/tables/table.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { root } from '../kit/sandbox.ts'

interface Shape {
  readonly columns: unknown[]
  readonly indexes: unknown[]
  readonly references: unknown[]
}

/** Opens a data folder, which migrates it to the newest schema, and returns the structure of its tables. */
async function shapesIn(fixture: string | null): Promise<{ tables: Record<string, Shape>; triggers: unknown[] }> {
  const folder = temporaryFolder()
  if (fixture !== null) cpSync(join(root, 'test', 'fixtures', fixture), folder, { recursive: true })
  await openSqliteStore({ folder: openDataFolder(folder), waitForLock: 'blocking' }).close()
  const db = new DatabaseSync(join(folder, 'svc.db'), { readOnly: true })
  const all = (sql: string, ...values: string[]) => db.prepare(sql).all(...values) as Record<string, unknown>[]
  const tables = all(
    "SELECT name FROM pragma_table_list WHERE schema='main' AND type='table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name",
  )
  const shapes = tables.map(({ name }) => {
    const table = `${name}`
    const indexes = all('SELECT name, "unique", origin, partial FROM pragma_index_list(?) ORDER BY name', table)
    const shape: Shape = {
      columns: [
        all("SELECT wr, strict FROM pragma_table_list WHERE schema='main' AND name=?", table),
        all('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid', table),
      ],
      indexes: indexes.map(index => [
        index,
        all('SELECT name, "desc", key FROM pragma_index_xinfo(?) ORDER BY seqno', `${index['name']}`),
        all('SELECT sql FROM sqlite_schema WHERE name=?', `${index['name']}`).map(({ sql }) =>
          `${sql}`.replace(/^.* WHERE /s, ''),
        ),
      ]),
      references: all('SELECT "table", "from" FROM pragma_foreign_key_list(?)', table),
    }
    return [table, shape] as const
  })
  const triggers = all("SELECT name, sql FROM sqlite_schema WHERE type='trigger' ORDER BY name")
  db.close()
  return { tables: Object.fromEntries(shapes), triggers }
}

describe('the catalogue of tables', () => {
  it('lists every table and column of a new database, each once', async () => {
    const { tables } = await shapesIn(null)
    expect(Object.keys(tables)).toEqual(
      tablesIn('sqlite')
        .map(({ name }) => name)
        .sort(),
    )
    for (const { name, columns } of tablesIn('sqlite')) {
      const { columns: shape } = tables[name] as Shape
      const [, found] = shape as { name: string }[][]
      expect(found?.map(column => column.name)).toEqual(Object.keys(columns))
    }
    expect(new Set(TABLES.map(({ name }) => name)).size).toBe(TABLES.length)
  })

  it.each(['v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v10', 'v11', 'v12'])(
    'also describes a migrated folder: %s',
    async version => {
      expect(await shapesIn(`data-folder-${version}`)).toEqual(await shapesIn(null))
    },
  )

  it('has user rows in the tables that a purge empties, and lists the tables that survive it', () => {
    const ofUsers = tablesIn('sqlite').filter(table => 'user_id' in table.columns)
    const kept = ofUsers.filter(table => !USER_TABLES.includes(table)).map(({ name }) => name)
    expect(kept.sort()).toEqual(['job', 'tombstone'])
  })

  it('finds rows by their key, or by SQLite’s row number', async () => {
    const { tables } = await shapesIn(null)
    for (const table of tablesIn('sqlite')) {
      const shape = tables[table.name] as Shape
      const [[kind], columns] = shape.columns as [{ wr: number }[], { name: string; pk: number }[]]
      const primary = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
      const isRowid = kind?.wr === 0
      expect(SQLITE.rowKey(table)).toBe(isRowid ? 'rowid' : table.key.map(name => `"${name}"`).join(', '))
      if (primary.length > 0) expect(primary.map(({ name }) => name)).toEqual(table.key)
    }
  })

  it('refers only to the table’s own columns', () => {
    for (const table of TABLES) {
      const names = Object.keys(table.columns)
      const used = [
        ...table.key,
        ...(table.aside ?? []),
        ...(table.lease ? [table.lease] : []),
        ...(table.checksums ?? []).flatMap(({ column = 'checksum', of = [], blob, bare }) => [
          column,
          ...of,
          ...[blob, bare].filter(name => name !== undefined),
        ]),
        ...(table.needs ?? []).flatMap(({ by, unlessNull }) => (unlessNull ? [...by, unlessNull] : by)),
      ]
      expect(used.filter(name => !names.includes(name))).toEqual([])
      for (const { table: owner, by } of table.needs ?? []) {
        const columns = TABLES.find(({ name }) => name === owner)?.columns ?? {}
        expect(by.filter(name => !(name in columns))).toEqual([])
      }
    }
    expect(
      columnsThat(TABLES.find(({ name }) => name === 'chunk') as never, ({ isPacked }) => isPacked === true),
    ).toEqual(['data'])
  })
})
