/** DuckDB as a second oracle: buckets, date parts, median and standard deviation of the same rows. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { type QueryBatchInput, queryBatch } from '../../../src/contract/aggregates/aggregate.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { runQueryBatch } from '../../../src/engine/aggregate/run.ts'
import { toColumns } from '../../../src/table/json.ts'
import { seed } from '../../kit/seed.ts'
import { USER_ID } from './arbitraries/summary-arbitrary.ts'
import { DAY, printDate, printTime } from './calendar.ts'
import type { PlainData, PlainSample } from './data.ts'
import { buildSource } from './source.ts'

const [FROM, TO] = [Date.UTC(1994, 11, 31), Date.UTC(2013, 11, 31)]
/** Year ends, leap days, years with a week 53, the origins of the buckets, and earlier times. */
const EDGES = [
  ...['1994-12-31', '1995-01-01', '1996-02-29', '1996-12-30', '1998-12-31', '1999-01-03', '1999-12-31', '2000-01-01'],
  ...['2000-01-02', '2000-01-03', '2000-02-28', '2000-02-29', '2000-03-01', '2000-12-31', '2001-01-01', '2004-12-31'],
  ...['2005-01-01', '2005-01-02', '2005-01-03', '2008-02-29', '2008-12-28', '2008-12-29', '2009-12-31', '2010-01-03'],
  ...['2010-01-04', '2012-02-29', '2012-12-31', '2013-01-01', '2013-12-30', '2013-12-31'],
].flatMap(date => [0, 1, DAY - 1].map(within => Date.parse(`${date}T00:00:00Z`) + within))

let state = seed % 2_147_483_647 || 1
/** Lehmer's random generator, from 0 up to but excluding 1. */
function next(): number {
  state = (state * 48_271) % 2_147_483_647
  return state / 2_147_483_647
}

const times = [...new Set([...EDGES, ...Array.from({ length: 600 }, () => Math.floor(FROM + next() * (TO - FROM)))])]
const rows = times.map((at, i) => ({
  at,
  // integers, tenths and arbitrary numbers, many of them equal
  value: i % 3 === 0 ? Math.floor(next() * 20) : i % 3 === 1 ? Math.floor(next() * 300) / 10 : next() * 100 - 20,
}))
const data: PlainData = {
  zone: null,
  samples: rows.map(
    ({ at, value }): PlainSample => ({
      ...{ resource: 'heartrate', provider: 'oura', sourceType: 'ring', type: null },
      ...{ startMs: at, endMs: at, value, second: null, offsetSec: null, text: {} },
    }),
  ),
  summaries: [],
}

let duckdb: DuckDBConnection
beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:')
  duckdb = await instance.connect()
  await duckdb.run('CREATE TABLE sample (t TIMESTAMP, value DOUBLE)')
  const appender = await duckdb.createAppender('sample')
  const { DuckDBTimestampValue } = await import('@duckdb/node-api')
  for (const { at, value } of rows) {
    appender.appendTimestamp(new DuckDBTimestampValue(BigInt(at) * 1000n))
    appender.appendDouble(value)
    appender.endRow()
  }
  appender.closeSync()
})

const SELECT = ['count', 'median', 'stddev', 'mean', 'sum', 'min', 'max']
const ARGUMENT = { timeseries: 'heartrate', field: 'value' }

async function engine(
  groupBy: NonNullable<QueryBatchInput['queries'][number]['group_by']>,
): Promise<readonly (readonly unknown[])[]> {
  const body = queryBatch().parse({
    timeframe: { type: 'relative', anchor: printDate(TO), past: { unit: 'year', value: 19 } },
    queries: [{ select: [{ group_key: '*' }, ...SELECT.map(func => ({ func, arg: ARGUMENT }))], group_by: groupBy }],
  })
  const user = { userId: USER_ID as UserId, fallbackTimeZone: null }
  const [table] = await runQueryBatch(buildSource(data, 3), user, body, {
    now: TO,
    providers: SHIPPED_REGISTRY,
    priorities: [],
  })
  const columns = Object.values(toColumns(table as NonNullable<typeof table>))
  return (columns[0] ?? []).map((_, row) => columns.map(column => column[row]))
}

async function inDuckdb(key: string): Promise<readonly (readonly unknown[])[]> {
  const functions = 'count(value), median(value), stddev_samp(value), avg(value), sum(value), min(value), max(value)'
  const reader = await duckdb.runAndReadAll(`SELECT ${key} AS k, ${functions} FROM sample GROUP BY k ORDER BY k`)
  return reader.getRows().map(([first, ...others]) => {
    const time = first as { micros?: bigint }
    const printed = time.micros === undefined ? Number(first) : printTime(Number(time.micros / 1000n))
    return [printed, ...others.map(cell => (typeof cell === 'bigint' ? Number(cell) : cell))]
  })
}

/** Checks that keys, count, min and max are equal, and the others close: DuckDB sums without compensation. */
function expectSame(got: readonly (readonly unknown[])[], expected: readonly (readonly unknown[])[]): void {
  const exact = ([key, count, , , , , min, max]: readonly unknown[]) => [key, count, min, max]
  expect(got.map(exact)).toEqual(expected.map(exact))
  for (const [i, row] of got.entries()) {
    for (const [k, cell] of row.entries()) {
      const other = expected[i]?.[k]
      if (typeof cell !== 'number' || typeof other !== 'number') expect(cell).toBe(other)
      else expect(Math.abs(cell - other)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(other)))
    }
  }
}

describe('buckets', () => {
  const units = [
    ...([
      ['minute', 1],
      ['minute', 7],
      ['minute', 90],
      ['hour', 1],
      ['hour', 5],
      ['day', 1],
      ['day', 2],
      ['day', 10],
    ] as const),
    ...([
      ['week', 1],
      ['week', 2],
      ['week', 5],
      ['month', 1],
      ['month', 2],
      ['month', 3],
      ['month', 5],
    ] as const),
    ...([
      ['month', 18],
      ['year', 1],
      ['year', 2],
      ['year', 7],
      ['year', 10],
      ['year', 100],
    ] as const),
  ]
  test.each(units)('of %s × %i', async (unit, value) => {
    const origin = unit === 'week' ? '2000-01-03' : '2000-01-01'
    const got = await engine([{ date_trunc: { unit, value }, arg: { index: 'timeseries' } }])
    expectSame(got, await inDuckdb(`time_bucket(INTERVAL '${value} ${unit}s', t, TIMESTAMP '${origin}')`))
    // DuckDB's own truncation corresponds to buckets of one unit
    if (value === 1) expectSame(got, await inDuckdb(`date_trunc('${unit}', t)::TIMESTAMP`))
  })
})

test.each([
  ['minute', 'minute'],
  ['hour', 'hour'],
  ['day', 'day'],
  ['week', 'week'],
  ['week_of_year', 'week'],
  ['month', 'month'],
  ['year', 'year'],
  ['weekday', 'isodow'],
  ['day_of_year', 'doy'],
])('agrees on the part %s', async (part, name) => {
  const got = await engine([{ date_part: part, arg: { index: 'timeseries' } }])
  expectSame(got, await inDuckdb(`date_part('${name}', t)`))
})

test('includes rows of every week number', async () => {
  const got = await engine([{ date_part: 'week', arg: { index: 'timeseries' } }])
  expect(got.map(([week]) => week)).toEqual(Array.from({ length: 53 }, (_, i) => i + 1))
})
