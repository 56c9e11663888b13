/** Any body is answered, or refused with a 422 that points into it: never an error of the service. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DATE_PARTS } from '../../../src/catalogue/query-functions.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { times } from '../../kit/effort.ts'
import { openHarness } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'
import { newUser, push } from '../continuous/continuous.ts'

/** Valid bodies. */
const queries: readonly object[] = [
  {
    select: [
      { group_key: '*' },
      { func: 'sum', arg: { timeseries: 'steps', field: 'value' } },
      { func: 'newest', arg: { timeseries: 'steps', field: 'source_type' } },
    ],
    group_by: [
      { date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } },
      { timeseries: 'steps', field: 'source_app_id' },
    ],
    where: "steps >= 1 AND NOT (source_type = 'watch' OR steps.duration > 3)",
    align: { carry: { mode: 'carry_forward', max_age: { unit: 'month', value: 1 } } },
  },
  {
    select: [
      { func: 'count', arg: null },
      { func: 'mean', arg: { value_macro: 'sleep_score', version: 'automatic' } },
      { func: 'max', arg: { sleep: 'efficiency' } },
    ],
    group_by: [{ date_part: 'weekday', arg: { index: 'sleep' } }, { source: 'source_provider' }],
  },
  {
    select: [
      { menstrual_cycle: 'period_start' },
      {
        select: { func: 'mean', arg: { field_for: 'menstrual_cycle', basal_body_temperature: 'value' } },
        from: { unnest: { menstrual_cycle: 'basal_body_temperature' } },
        where: "date > '2026-01-01'",
      },
    ],
  },
  { select: [{ derived_readiness: 'recovery_score' }, { index: 'derived_readiness' }, { source: 'source_type' }] },
]

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    2 ** 53,
    1e300,
    '',
    '*',
    [],
    {},
    [[]],
    '\u0000',
    '__proto__',
    'constructor',
  ),
  fc.constantFrom('toString', 'sleep', 'timeseries', 'steps', 'value', 'index', 'menstrual_cycle', 'hypnogram', 'date'),
  fc.constantFrom('minute', 'hour', 'week', 'month', 'year', 'median', 'stddev', 'carry_backward', 'carry_nearest'),
  fc.constantFrom(...DATE_PARTS, 'note', 'tags', 'blood_pressure', 'systolic', 'awakenings', 'body', 'profile'),
  fc.constantFrom(
    "''",
    "'",
    'NOT',
    '((',
    '1 = 1',
    'steps = steps',
    "type = 'x' OR",
    '1e999 > steps',
    'a.b.c = 1',
    '"x"',
  ),
  fc.constantFrom<unknown>(
    { index: 'sleep' },
    { placeholder: true },
    { element: true },
    { sleep: 'type' },
    { func: 'count', arg: null },
  ),
  fc.integer(),
  fc.double(),
  fc.string(),
  fc.jsonValue({ maxDepth: 2 }),
)

type Json = Record<string, unknown> | unknown[]
type Change = readonly [at: number, kind: 'put' | 'drop' | 'add' | 'double', value: unknown]

/** Returns every position of a document that has a value. */
function listPositions(value: unknown, positions: [Json, string | number][] = []): [Json, string | number][] {
  if (typeof value !== 'object' || value === null) return positions
  for (const key of Object.keys(value)) {
    positions.push([value as Json, key])
    listPositions((value as Record<string, unknown>)[key], positions)
  }
  return positions
}

function changed(body: unknown, changes: readonly Change[]): unknown {
  const copy: unknown = structuredClone(body)
  for (const [at, kind, wanted] of changes) {
    const value: unknown = structuredClone(wanted)
    const positions = listPositions(copy)
    const position = positions[at % Math.max(1, positions.length)]
    if (!position) continue
    const [holder, key] = position as [Record<string, unknown>, string]
    if (kind === 'drop') {
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete holder[key]
    } else if (kind === 'put') holder[key] = value
    else if (Array.isArray(holder)) holder.push(kind === 'add' ? value : structuredClone(holder[Number(key)]))
    else
      Object.defineProperty(holder, typeof value === 'string' ? value : 'more', {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  // as it would arrive over HTTP
  return JSON.parse(JSON.stringify(copy))
}

const changes = fc.array(
  fc.tuple(fc.nat(60), fc.constantFrom<Change[1]>('put', 'put', 'drop', 'add', 'double'), junk),
  { maxLength: 4 },
)

it('is answered, or refused with the position of the error', { timeout: 120_000 }, async () => {
  const h = await openHarness()
  const user_id = await newUser(h)
  await push(h, user_id, 'steps', [
    { at: '2026-11-18T10:00:00Z', value: 10 },
    { at: '2026-11-19T10:00:00Z', value: 20, provider: 'garmin', type: 'watch' },
  ])
  const timeframe = { type: 'relative', anchor: '2026-11-20', past: { unit: 'day', value: 7 } }
  let [accepted, refused] = [0, 0]
  const cases = fc.asyncProperty(fc.constantFrom(...queries), changes, changes, async (query, own, outer) => {
    const batch = changed({ timeframe, queries: [changed(query, own)] }, outer)
    const made = { slug: 'x', title: 'x', query: changed(query, own) }
    for (const [id, input] of [
      ['aggregate.query', { params: { user_id }, body: batch }],
      ['aggregate.explain', { params: { user_id }, body: { query: batch, diff: ['oura'] } }],
      ['continuous_query.create', { body: made }],
    ] as const) {
      try {
        const reply = await h.call(id, input as never)
        expect(JSON.parse(JSON.stringify(reply))).toEqual(reply)
        accepted++
        if (id === 'continuous_query.create')
          await h.call('continuous_query.delete', { params: { query_id_or_slug: 'x' } })
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        expect([id, error.status, error.category]).toEqual([id, 422, 'usage'])
        for (const { loc } of (error.body as { detail: { loc: (string | number)[] }[] }).detail) {
          expect(loc[0]).toBe('body')
          let here: unknown = input.body
          // all steps but the last exist: the last may be missing
          for (const step of loc.slice(1, -1)) {
            here = (here as Record<string | number, unknown> | undefined)?.[step]
            expect(here, `${id} ${loc.join('.')} ${JSON.stringify(input.body)}`).toBeDefined()
          }
        }
        refused++
      }
    }
  })
  await fc.assert(cases, { seed, numRuns: times(500) })
  expect([accepted > 10, refused > 10]).toEqual([true, true])
})
