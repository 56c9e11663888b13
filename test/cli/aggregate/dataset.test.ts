/** Datasets of all users: how a query engine reads them, and how an interrupted run continues. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type DatasetSource, saveDataset, userBucket } from '../../../src/cli/aggregate/dataset.ts'
import { datasetHash, MANIFEST } from '../../../src/cli/aggregate/dataset-manifest.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { buildTable } from '../../../src/table/build-table.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const USERS = Array.from({ length: 40 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`)
const DAY = 86_400_000

/** Returns a numbered row for each day of a user; every fourth user, starting with the first, has none. */
const numberedRows = async (userId: string) => {
  const n = USERS.indexOf(userId)
  const days = Array.from({ length: n % 4 }, (_, i) => i)
  return buildTable(
    [
      { name: 'group_key.0', kind: 'time', cells: days.map(i => Date.UTC(2026, 10, 1) + i * DAY) },
      { name: 'sum', kind: 'int64', cells: days.map(i => (i === 2 ? null : n * 10 + i)) },
    ],
    days.length,
  )
}
const ROWS = USERS.reduce((sum, _, i) => sum + (i % 4), 0)

function source(more: Partial<DatasetSource> = {}): DatasetSource {
  const query = { queries: ['the same'] }
  return { users: USERS, query, hash: datasetHash(query, 'here'), readTable: numberedRows, ...more }
}
const save = (folder: string, more: Partial<DatasetSource> = {}, signal = new AbortController().signal) =>
  saveDataset(folder, source(more), signal, () => {})

async function duck(sql: string) {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const all = await connection.runAndReadAll(sql)
    return { types: all.columnTypes().map(String), names: all.columnNames(), rows: all.getRowsJson() }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
const readParquetFolder = (folder: string) => `read_parquet('${folder}/**/*.parquet', hive_partitioning=true)`
const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => statSync(path.join(folder, name)).isFile())

test('DuckDB reads a dataset as one table, partitioned by bucket, with the user first', async () => {
  const folder = path.join(temporaryFolder(), 'new', 'dataset')
  const saved = await save(folder)
  expect(saved).toMatchObject({ folder, users: 40, rows: ROWS, kept_buckets: 0 })
  const { names, types, rows } = await duck(
    `SELECT * FROM ${readParquetFolder(folder)} ORDER BY user_id, "group_key.0"`,
  )
  expect(names).toEqual(['user_id', 'group_key.0', 'sum', 'bucket'])
  expect(types.slice(0, 3)).toEqual(['VARCHAR', 'TIMESTAMP', 'BIGINT'])
  expect(rows).toHaveLength(ROWS)
  expect(rows[0]).toEqual([
    USERS[1],
    '2026-11-01 00:00:00',
    '10',
    String(userBucket(USERS[1] as string)).padStart(2, '0'),
  ])
  expect(rows.filter(row => row[0] === USERS[3]).map(row => row[2])).toEqual(['30', '31', null])
  const files = listFiles(folder).filter(name => name.endsWith('.parquet'))
  expect(files).toHaveLength(saved.files)
  expect(files.every(name => /^bucket=\d\d[/\\]part-0\.parquet$/.test(name))).toBe(true)
})

test('an interrupted run continues without changing finished buckets', async () => {
  const folder = path.join(temporaryFolder(), 'dataset')
  const controller = new AbortController()
  let reads = 0
  const stopping = (userId: string) => {
    if (++reads === 20) controller.abort()
    return numberedRows(userId)
  }
  await expect(save(folder, { readTable: stopping }, controller.signal)).rejects.toMatchObject({ code: 'cancelled' })
  const before = listFiles(folder)
  expect(before.some(name => name.endsWith('.parquet'))).toBe(true)
  expect(before.every(name => !name.endsWith('.tmp'))).toBe(true)
  const times = before.map(name => statSync(path.join(folder, name)).mtimeMs)
  // as left by a killed run
  const bucket = path.dirname(path.join(folder, before.find(name => name.endsWith('.parquet')) as string))
  writeFileSync(path.join(bucket, '.part-0.parquet.4711.tmp'), 'half')

  reads = 0
  const counting = (userId: string) => {
    reads++
    return numberedRows(userId)
  }
  const saved = await save(folder, { readTable: counting })
  expect(saved).toMatchObject({ users: 40, rows: ROWS })
  expect(saved.kept_buckets).toBeGreaterThan(0)
  expect(reads).toBeLessThan(40)
  for (const [i, name] of before.entries()) {
    if (name.endsWith('.parquet')) expect(statSync(path.join(folder, name)).mtimeMs).toBe(times[i])
  }
  expect((await duck(`SELECT count(*), count(DISTINCT user_id) FROM ${readParquetFolder(folder)}`)).rows).toEqual([
    [String(ROWS), '30'],
  ])
  reads = 0
  expect(await save(folder, { readTable: counting })).toMatchObject({ kept_buckets: 16, rows: ROWS })
  expect(reads).toBe(0)
})

test('rewrites a bucket whose users changed or whose file is damaged', async () => {
  const folder = path.join(temporaryFolder(), 'dataset')
  await save(folder, { users: USERS.slice(0, 39) })
  const saved = await save(folder)
  expect(saved).toMatchObject({ users: 40, rows: ROWS, kept_buckets: 15 })
  const file = listFiles(folder).find(name => name.endsWith('.parquet')) as string
  writeFileSync(path.join(folder, file), 'cut off')
  expect(await save(folder)).toMatchObject({ kept_buckets: 15, rows: ROWS })
})

test('removes a deleted user, even if the number of users stays the same or the bucket becomes empty', async () => {
  const folder = path.join(temporaryFolder(), 'dataset')
  const [first, second] = USERS.flatMap((user, i) =>
    i % 4 !== 0 && userBucket(user) === userBucket(USERS[1] as string) ? [user] : [],
  ) as [string, string]
  expect(second).toBeDefined()
  const usersOf = async () => (await duck(`SELECT DISTINCT user_id FROM ${readParquetFolder(folder)}`)).rows.flat()
  const other = USERS.find((user, i) => i % 4 !== 0 && userBucket(user) !== userBucket(first)) as string
  await save(folder, { users: [first, other] })
  await save(folder, { users: [second, other] })
  expect((await usersOf()).sort()).toEqual([second, other].sort())
  expect(await save(folder, { users: [other] })).toMatchObject({ users: 1, files: 1 })
  expect(await usersOf()).toEqual([other])
})

test('refuses a folder with another query, other data or unrelated files', async () => {
  const folder = path.join(temporaryFolder(), 'dataset')
  await save(folder)
  const query = { queries: ['another'] }
  for (const hash of [datasetHash(query, 'here'), datasetHash(source().query, 'there')]) {
    await expect(save(folder, { query, hash })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('another query'),
    })
  }
  const other = temporaryFolder()
  writeFileSync(path.join(other, 'letters.txt'), 'mine')
  await expect(save(other)).rejects.toThrow('is not empty')
  await expect(save(path.join(other, 'letters.txt'))).rejects.toThrow('it is a file')
  expect(readFileSync(path.join(other, 'letters.txt'), 'utf8')).toBe('mine')
})

test('writes no rows for users without data, and an empty file with the columns if nobody has any', async () => {
  const folder = path.join(temporaryFolder(), 'dataset')
  const none = () => numberedRows(USERS[0] as string)
  expect(await save(folder, { readTable: none })).toMatchObject({ rows: 0, files: 1, users: 40 })
  const { names, rows } = await duck(`SELECT * FROM ${readParquetFolder(folder)}`)
  expect(names).toEqual(['user_id', 'group_key.0', 'sum', 'bucket'])
  expect(rows).toEqual([])
  const empty = path.join(temporaryFolder(), 'dataset')
  expect(await save(empty, { users: [] })).toMatchObject({ users: 0, rows: 0, files: 0 })
  expect(listFiles(empty)).toEqual([MANIFEST])
})

test('writes no rows for a user who was deleted meanwhile; any other failure ends the run and leaves no partial file', async () => {
  const folder = path.join(temporaryFolder(), 'dataset')
  const gone = async (userId: string) => (userId === USERS[3] ? undefined : numberedRows(userId))
  expect(await save(folder, { readTable: gone })).toMatchObject({ rows: ROWS - 3 })
  const failing = path.join(temporaryFolder(), 'dataset')
  const readTable = async (userId: string) => {
    if (userId === USERS[7]) throw new ServiceError('network', 'The line is cut.')
    return numberedRows(userId)
  }
  await expect(save(failing, { readTable })).rejects.toThrow('The line is cut.')
  expect(listFiles(failing).filter(name => name.endsWith('.tmp'))).toEqual([])
})
