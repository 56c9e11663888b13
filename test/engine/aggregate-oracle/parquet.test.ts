/** Parquet results read by two independent readers: the same columns, types, values and nulls. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { beforeAll, expect, test } from 'vitest'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { queryBatch } from '../../../src/contract/aggregates/aggregate.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { runQueryBatch } from '../../../src/engine/aggregate/run.ts'
import { toColumns } from '../../../src/table/json.ts'
import { toParquet } from '../../../src/table/parquet.ts'
import { times } from '../../kit/effort.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { seed } from '../../kit/seed.ts'
import { sampleCase, summaryCase } from './arbitraries/data-arbitrary.ts'
import { asked, plainQuery, summaryTable, timeseries } from './arbitraries/query-arbitrary.ts'
import { USER_ID } from './arbitraries/summary-arbitrary.ts'
import { printDate, printTime } from './calendar.ts'
import type { PlainData, PlainSummary } from './data.ts'
import { type Asked, evaluate, type PlainQuery, type ResultKind } from './oracle.ts'
import { buildSource } from './source.ts'

const DUCKDB_TYPES: Readonly<Record<ResultKind, RegExp>> = {
  int: /^BIGINT$/,
  float: /^DOUBLE$/,
  text: /^VARCHAR$/,
  bool: /^BOOLEAN$/,
  time: /^TIMESTAMP$/,
  clock: /^TIME$/,
  date: /^DATE$/,
  part: /^(TINYINT|SMALLINT)$/,
}

let duckdb: DuckDBConnection
beforeAll(async () => {
  folder = temporaryFolder()
  const instance = await DuckDBInstance.create(':memory:')
  duckdb = await instance.connect()
})

/** Converts a value from either reader into a JSON cell. */
function cell(kind: ResultKind, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (kind === 'time') return printTime(milliseconds(value))
  if (kind === 'clock')
    return printTime(typeof value === 'bigint' ? Number(value) / 1000 : milliseconds(value)).slice(11)
  if (kind === 'date') return printDate(milliseconds(value))
  return typeof value === 'bigint' ? Number(value) : value
}

function milliseconds(value: unknown): number {
  if (value instanceof Date) return value.getTime()
  const { micros, days } = value as { micros?: bigint; days?: number }
  return micros === undefined ? (days as number) * 86_400_000 : Number(micros) / 1000
}

interface Read {
  readonly columns: Record<string, unknown[]>
  readonly kinds: readonly ResultKind[]
}

async function byHyparquet(bytes: Uint8Array, kinds: readonly ResultKind[], names: readonly string[]): Promise<Read> {
  const file = bytes.slice().buffer
  const { schema, row_groups: groups } = parquetMetadata(file)
  const found = schema.slice(1).map(({ type, converted_type: converted, logical_type: logical }): ResultKind => {
    if (logical?.type === 'TIMESTAMP') {
      expect([type, logical.isAdjustedToUTC, logical.unit]).toEqual(['INT64', false, 'MICROS'])
      return 'time'
    }
    if (logical?.type === 'TIME') {
      expect([type, logical.isAdjustedToUTC, logical.unit]).toEqual(['INT64', false, 'MICROS'])
      return 'clock'
    }
    if (converted === 'INT_8' || converted === 'INT_16') return 'part'
    if (converted === 'INT_64') return 'int'
    if (logical?.type === 'DATE') return 'date'
    if (type === 'BYTE_ARRAY') return 'text'
    return type === 'BOOLEAN' ? 'bool' : 'float'
  })
  const rows = await parquetReadObjects({ file })
  const columns = names.map((name, i) => [name, rows.map(row => cell(kinds[i] as ResultKind, row[name]))])
  const read = Object.fromEntries(columns) as Record<string, unknown[]>
  for (const [i, name] of names.entries()) {
    const texts = (read[name] as unknown[]).filter(text => text !== null)
    // a text column with few distinct values uses a dictionary
    if (kinds[i] !== 'text' || texts.length < 2 * new Set(texts).size || texts.length === 0) continue
    const encodings = groups.flatMap(({ columns }) => columns[i]?.meta_data?.encodings ?? [])
    expect(encodings).toContain('RLE_DICTIONARY')
  }
  return { columns: read, kinds: found }
}

async function byDuckdb(path: string, kinds: readonly ResultKind[]): Promise<Read & { readonly types: string[] }> {
  const reader = await duckdb.runAndReadAll(`SELECT * FROM read_parquet('${path}')`)
  const types = reader.columnTypes().map(String)
  const rows = reader.getRows()
  const columns = reader
    .columnNames()
    .map((name, i) => [name, rows.map(row => cell(kinds[i] as ResultKind, row[i] as unknown))] as const)
  return { columns: Object.fromEntries(columns), kinds, types }
}

const asks = fc.oneof(sampleCase, summaryCase).chain(({ base, data }) => {
  const tables = ['sleep', 'activity', 'workout', 'body', 'meal', 'menstrual_cycle', 'profile', 'derived_readiness']
  const words =
    data.summaries.length > 0
      ? tables.map(table => summaryTable(table, base))
      : [timeseries([...new Set(data.samples.map(each => each.resource))], base)]
  const queries = fc.array(fc.oneof(...words.map(plainQuery)), { minLength: 4, maxLength: 4 })
  return fc.record({ data: fc.constant(data), asked: asked(base), queries })
})

let files = 0
let folder: string

/** Runs queries, writes the results to files, and checks them with both readers. Returns the kinds of columns that occurred. */
async function expectReadBack(data: PlainData, queries: readonly PlainQuery[], asked: Asked): Promise<ResultKind[]> {
  const timeframe = { type: 'relative', anchor: asked.anchor, past: asked.past }
  const user = { userId: USER_ID as UserId, fallbackTimeZone: data.zone }
  const call = { now: asked.now, providers: SHIPPED_REGISTRY, priorities: asked.team }
  const tables = await runQueryBatch(buildSource(data, 3), user, queryBatch().parse({ timeframe, queries }), call)
  const all: ResultKind[] = []
  for (const [i, query] of queries.entries()) {
    const table = tables[i] as (typeof tables)[number]
    const kinds = evaluate(data, query, asked).map(each => each.kind)
    const result = toColumns(table)
    const bytes = await toParquet(table)
    // a new path for each file: DuckDB caches by path
    const path = join(folder, `${files++}.parquet`)
    writeFileSync(path, bytes)

    const own = await byHyparquet(bytes, kinds, Object.keys(result))
    expect(own.kinds).toEqual(kinds)
    expect(own.columns).toEqual(result)
    const other = await byDuckdb(path, kinds)
    for (const [at, kind] of kinds.entries()) expect(other.types[at]).toMatch(DUCKDB_TYPES[kind])
    expect(other.columns).toEqual(result)
    all.push(...kinds)
  }
  return all
}

test('reads back columns of every type, with and without nulls', async () => {
  const day = (date: string, document: Record<string, unknown>): PlainSummary => ({
    ...{ kind: 'activity', id: date, provider: 'oura', sourceType: 'ring', appId: null, deviceId: null },
    ...{ atMs: Date.parse(date), date, offsetSec: 0, createdMs: 0, updatedMs: 0, document },
  })
  const summaries = [
    day('1969-12-31', { wheelchair_use: true, steps: 9_007_199_254_740_991, calories_total: 0.1, time_zone: 'é, "x"' }),
    day('1970-03-01', { steps: -1, calories_total: null, time_zone: '' }),
    day('1970-06-30', { wheelchair_use: false, calories_total: 1e-300 }),
  ]
  const names = ['date', 'wheelchair_use', 'steps', 'calories_total', 'time_zone']
  const select = [{ index: 'activity' }, ...names.map(activity => ({ activity }))]
  const parts = ['weekday', 'year'].map(date_part => ({ date_part, arg: { index: 'activity' } }))
  const MEAN = { func: 'mean', arg: { index: 'activity' } }
  const grouped = { select: [{ group_key: '*' }, { func: 'newest', arg: { activity: 'date' } }, MEAN], group_by: parts }
  const asked = { anchor: '1970-12-31', past: { unit: 'year', value: 2 }, overrides: [], team: [], now: 0 }
  const empty = { select, where: 'steps < -5' }
  const kinds = await expectReadBack({ zone: null, samples: [], summaries }, [{ select }, grouped, empty], asked)
  expect([...new Set(kinds)].sort()).toEqual(['bool', 'clock', 'date', 'float', 'int', 'part', 'text', 'time'])
})

test('reads back the results of random queries', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(asks, async ({ data, asked, queries }) => {
    await expectReadBack(data, queries, asked)
  })
  const { failed, errorInstance, counterexamplePath } = await fc.check(property, {
    ...{ seed, numRuns: times(10), endOnFailure: true },
  })
  if (failed) throw new Error(`seed ${seed}, path ${counterexamplePath}: ${(errorInstance as Error).message}`)
})
