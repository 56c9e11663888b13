/** Databases that are damaged, hostile or something else: each is refused with one message, and nothing in it is run. */
import { randomBytes } from 'node:crypto'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importerOfFile } from '../../../../src/connectors/files/formats.ts'
import { healthConnect } from '../../../../src/connectors/files/health-connect/health-connect.ts'
import { DatabaseReader } from '../../../../src/connectors/files/sqlite/reader.ts'
import { ServiceError } from '../../../../src/core/errors.ts'
import { HOUR_MS, MINUTE_MS } from '../../../../src/core/time.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { buildZip } from '../exports.ts'
import { readContent, readFile, reasons } from '../record-files.ts'
import { HealthConnectExport } from './health-connect-export.ts'
import { addTables, alter, disguise, repeatPages } from './hostile-databases.ts'

const T = Date.UTC(2025, 5, 1, 8)
const MIB = 1_048_576
const SECRET = 'a value of a person'

/** Returns the path of an export with this many rows of steps. */
function exportFile(rows = 1, change: (file: HealthConnectExport) => void = () => {}): string {
  const file = new HealthConnectExport()
  file.db.exec('BEGIN')
  for (let i = 0; i < rows; i++) file.during('steps_record_table', T + i * 1000, T + i * 1000, { count: 1 })
  change(file)
  file.db.exec('COMMIT')
  file.db.close()
  return file.path
}

async function refusal(path: string): Promise<ServiceError> {
  const { error } = await readFile(healthConnect, path)
  expect(error).toBeInstanceOf(ServiceError)
  expect(error).toMatchObject({ code: 'invalid_file', exitCode: 2 })
  expect(error?.message).not.toContain(SECRET)
  return error as ServiceError
}

describe('a database is refused before anything of it is read', () => {
  test.each([
    ['a view', 'CREATE VIEW v AS SELECT * FROM steps_record_table'],
    ['a trigger', 'CREATE TRIGGER t AFTER INSERT ON steps_record_table BEGIN SELECT 1; END'],
    ['a virtual table', 'CREATE VIRTUAL TABLE f USING fts5(a)'],
    ['another kind of virtual table', 'CREATE VIRTUAL TABLE r USING rtree(id, a, b)'],
  ])('because it has %s', async (_what, sql) => {
    const path = exportFile()
    alter(path, sql)
    expect((await refusal(path)).message).toMatch(/contains a view, a trigger or a virtual table, but only tables/)
    await expect(importerOfFile(path, readFileSync(path).subarray(0, 4096), undefined, undefined)).rejects.toThrow(
      /a view/,
    )
  })

  test.each([
    ['a view as a table', 'CREATE VIEW steps_record_table AS SELECT 1 AS count'],
    ['a view after a comment', 'CREATE/**/VIEW steps_record_table AS SELECT 1 AS count'],
    ['a virtual table as a table', 'CREATE VIRTUAL TABLE steps_record_table USING fts5(count)'],
  ])('because its schema lists %s', async (_what, sql) => {
    const path = exportFile()
    disguise(path, 'steps_record_table', sql)
    expect((await refusal(path)).message).toMatch(/contains a view|damaged/)
  })

  test('because it has too many tables', async () => {
    const path = exportFile()
    addTables(path, 3000)
    expect((await refusal(path)).message).toMatch(/more than 2000 tables and indexes, which is the limit/)
  })

  test('because its schema takes too much memory', async () => {
    const path = exportFile()
    addTables(path, 100, 900_000)
    const limits = { responseMs: 60_000, memoryBytes: 120 * MIB }
    await expect(DatabaseReader.open(path, undefined, limits)).rejects.toThrow(/takes too much memory/)
  })

  test('because its schema takes too long', async () => {
    const path = exportFile()
    addTables(path, 200_000)
    const limits = { responseMs: 1_000, memoryBytes: 1024 * MIB }
    await expect(DatabaseReader.open(path, undefined, limits)).rejects.toThrow(/takes too long/)
  })

  test('because it has an older schema', async () => {
    const file = new HealthConnectExport(8)
    file.db.close()
    expect((await refusal(file.path)).message).toMatch(/schema version 8, but only version 9 and later/)
  })

  test('because it has other tables', async () => {
    const path = join(temporaryFolder(), 'other.db')
    alter(path, 'CREATE TABLE steps (a)')
    expect((await refusal(path)).message).toMatch(/does not have the tables of the format health_connect/)
    const head = readFileSync(path).subarray(0, 4096)
    await expect(importerOfFile(path, head, undefined, undefined)).rejects.toThrow(/has no format that can be imported/)
  })
})

describe('a database is refused', () => {
  test.each(['first', 'root', 'levels'] as const)('if pages of a table repeat (%s)', async how => {
    const path = exportFile(20_000)
    repeatPages(path, 'steps_record_table', how)
    expect((await refusal(path)).message).toMatch(/is damaged/)
  })

  test('if counting the rows of a table has no end, after a time', async () => {
    const path = exportFile(20_000)
    repeatPages(path, 'steps_record_table', 'levels')
    const reader = await DatabaseReader.open(path, undefined, { responseMs: 5000, memoryBytes: 256 * MIB })
    await reader.describe(['steps_record_table'])
    const counting = async () => {
      for await (const _ of reader.query({
        sql: 'SELECT count(*) FROM steps_record_table NOT INDEXED',
        keys: 0,
        isPaged: false,
      }));
    }
    await expect(counting()).rejects.toThrow(/takes too long to read/)
    await reader.close()
  })

  test('if a text is longer than 1 MiB', async () => {
    const path = exportFile(1, file =>
      file.during('exercise_session_record_table', T, T + HOUR_MS, { title: SECRET.repeat(100_000), exercise_type: 1 }),
    )
    expect((await refusal(path)).message).toMatch(/a text or a binary value of more than 1 MiB/)
  })

  test('if it is cut off', async () => {
    const path = exportFile(1000)
    truncateSync(path, readFileSync(path).length - 5000)
    expect((await refusal(path)).message).toMatch(/is cut off: the file is smaller than its header states/)
  })

  test('if its pages are random', async () => {
    const path = exportFile(1000)
    const bytes = readFileSync(path)
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 100), randomBytes(bytes.length - 100)]))
    expect((await refusal(path)).message).toMatch(/is damaged|cannot be read/)
  })

  test.each([
    ['random bytes', randomBytes(8192)],
    ['nothing', Buffer.alloc(0)],
    ['only the first bytes', Buffer.from('SQLite format 3\0')],
  ])('if the zip file contains %s instead', async (_what, content) => {
    const { error } = await readContent(healthConnect, buildZip([{ name: 'health_connect_export.db', content }]))
    expect(error?.message).toMatch(/is another kind of file, or it is encrypted/)
  })

  test('if another entry of the zip file leads out of its folder', async () => {
    const content = readFileSync(exportFile())
    const zip = buildZip([
      { name: 'health_connect_export.db', content },
      { name: '../x', content: '' },
    ])
    expect((await readContent(healthConnect, zip)).error?.message).toMatch(/leads out of its folder/)
  })

  test('if it is a bomb', async () => {
    const zip = buildZip([{ name: 'health_connect_export.db', content: Buffer.alloc(70 * MIB) }])
    expect((await readContent(healthConnect, zip)).error?.message).toMatch(/200 times/)
  })
})

test('does not compute columns that the file generates', async () => {
  const path = exportFile(0, file => {
    file.db.exec('ALTER TABLE steps_record_table DROP COLUMN count')
    file.db.exec('ALTER TABLE steps_record_table ADD COLUMN count AS (hex(zeroblob(100000000)))')
    file.during('steps_record_table', T, T + MINUTE_MS)
  })
  const read = await readFile(healthConnect, path)
  expect(reasons(read)).toEqual({ 'steps_record_table lacks the column count': 1 })
})

test('does not trust an index that contains other rows than its table', async () => {
  const path = exportFile(3, file => {
    file.db.exec('CREATE INDEX evil ON steps_record_table (row_id, count) WHERE count > 5')
    file.db.exec('CREATE INDEX worse ON steps_record_table (hex(count))')
  })
  expect((await readFile(healthConnect, path)).samples).toHaveLength(3)
})

test('reads a database with a write-ahead log, without the log', async () => {
  const path = exportFile()
  alter(path, 'PRAGMA journal_mode=WAL')
  writeFileSync(`${path}-wal`, randomBytes(100))
  const read = await readFile(healthConnect, path)
  expect(read).toMatchObject({ error: undefined, records: 1 })
})

test('allows only known tables and columns to be read', async () => {
  const path = exportFile()
  const reader = await DatabaseReader.open(path, undefined)
  await reader.describe(['steps_record_table', 'no_such_table'])
  const all = async (sql: string) => {
    for await (const _ of reader.query({ sql, keys: 0, isPaged: false }));
  }
  await expect(all('SELECT count FROM steps_record_table')).resolves.toBeUndefined()
  for (const sql of [
    'SELECT package_name FROM application_info_table',
    'SELECT local_date_time_start_time FROM steps_record_table',
    'SELECT hex(count) FROM steps_record_table',
    'DELETE FROM steps_record_table',
    "ATTACH 'x' AS x",
    'PRAGMA writable_schema=ON',
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
  ]) {
    await expect(all(sql), sql).rejects.toMatchObject({ code: 'invalid_file' })
  }
  await reader.close()
})

test('ends the process at once when the import is cancelled, even while SQLite works', async () => {
  const path = exportFile(20_000)
  const abort = new AbortController()
  const reading = readFile(healthConnect, path, {
    signal: abort.signal,
    onProgress: (_, records) => records > 1000 && abort.abort(),
  })
  expect((await reading).error).toMatchObject({ code: 'cancelled' })
})
