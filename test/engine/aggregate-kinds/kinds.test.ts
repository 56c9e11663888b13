/** Kinds of values in one resource: their field, and the warning if a result mixes them. See docs/interface/kinds.md. */
import { describe, expect, it, test } from 'vitest'
import { allKinds, kindsOf, type ResourceKinds } from '../../../src/catalogue/kinds.ts'
import { AGGREGATE_FUNCTIONS } from '../../../src/catalogue/query-functions.ts'
import { RESOURCE_NAMES } from '../../../src/catalogue/resources.ts'
import type { QueryWarning } from '../../../src/contract/aggregates/warnings.ts'
import type { SampleBatch, TextColumn } from '../../../src/core/sample.ts'
import { ask, refusal, series } from '../aggregate/memory-source.ts'

const DAY = '2026-11-20'
const ASKED = { anchor: DAY, past: { unit: 'week' as const, value: 2 } }
const KEYS = { group_key: '*' as const }
const RING = { provider: 'ultrahuman', sourceType: 'ring' }
const WATCH = { provider: 'apple_health_kit', sourceType: 'watch' }

type Text = Partial<Record<TextColumn, string>>

/** For each kind, what samples show. */
const SHOWN: Readonly<Record<string, Readonly<Record<string, Text | { readonly sourceType: string }>>>> = {
  hrv: { rmssd: {}, sdnn: { type: 'sdnn' }, rmssd_night: { type: 'night' } },
  heartrate: { point: {}, resting: { type: 'resting' } },
  body_temperature: { core: { type: 'core' }, skin: { sensor_location: 'wrist' } },
  vo2_max: { estimate: {}, run: { type: 'run' }, measured: { sourceType: 'lab' } },
  blood_oxygen: { point: {}, night_mean: { type: 'daily' } },
}

/** Every pair of kinds of a resource. */
const PAIRS = Object.entries(SHOWN).flatMap(([resource, kinds]) =>
  Object.keys(kinds).flatMap((usual, i, all) => all.slice(i + 1).map(other => ({ resource, usual, other }))),
)

function samples(
  resource: string,
  kind: string,
  source: { readonly provider: string; readonly sourceType: string },
  days: readonly string[],
): SampleBatch {
  const shown = SHOWN[resource]?.[kind] ?? {}
  const { sourceType = source.sourceType, ...text } = shown as Text & { readonly sourceType?: string }
  return series(
    { resource, ...source, sourceType },
    days.map(day => [`${day}T08:00:00`, 40, { text }] as const),
  )
}

type Query = Parameters<typeof ask>[1]

async function warnings(
  data: readonly SampleBatch[],
  query: Partial<Query>,
  resource: string,
): Promise<QueryWarning[]> {
  const all: QueryWarning[] = []
  const select = [{ func: 'mean', arg: { timeseries: resource, field: 'value' } }]
  await ask({ samples: data }, { select, ...query }, { ...ASKED, warn: each => all.push(each) })
  return all.filter(({ code }) => code === 'mixed_kinds')
}

const byWeek = [{ date_trunc: { unit: 'week' as const, value: 1 }, arg: { index: 'timeseries' } }]

test('a type does not separate the kinds of body temperature, which a place shows too', async () => {
  const data = [
    samples('body_temperature', 'core', RING, ['2026-11-18']),
    samples('body_temperature', 'skin', WATCH, ['2026-11-19']),
  ]
  const select = [KEYS, { func: 'mean', arg: { timeseries: 'body_temperature', field: 'value' } }]
  const byType = { select, group_by: [{ timeseries: 'body_temperature', field: 'type' }] }
  const untyped = data.map(batch => ({
    ...batch,
    text: new Map([...batch.text].filter(([column]) => column !== 'type')),
  }))
  expect(await warnings(untyped, { ...byType, merge: true }, 'body_temperature')).toHaveLength(1)
})

test('a group by type separates kinds if each group has one', async () => {
  const ring = samples('hrv', 'rmssd', RING, ['2026-11-18'])
  const watch = samples('hrv', 'sdnn', WATCH, ['2026-11-19'])
  const night = samples('hrv', 'rmssd', { provider: 'whoop_v2', sourceType: 'band' }, ['2026-11-20'])
  const select = [KEYS, { func: 'mean', arg: { timeseries: 'hrv', field: 'value' } }]
  const byType = { select, group_by: [{ timeseries: 'hrv', field: 'type' }], merge: true }
  expect(await warnings([ring, watch], byType, 'hrv')).toEqual([])
  const asked = { anchor: '2026-11-21', past: { unit: 'week' as const, value: 2 } }
  expect(await ask({ samples: [ring, watch] }, { ...byType, mixed_kinds: 'refuse' }, asked)).toMatchObject({
    mean: [40, 40],
  })
  // neither a night's value nor another one has a type
  const { message } = await refusal({ ...byType, mixed_kinds: 'refuse' }, asked, { samples: [ring, watch, night] })
  expect(message).toContain('rmssd (samples: 1) and rmssd_night (samples: 1) of hrv')
})

test('a refusal names every resource whose kinds would be mixed', async () => {
  const data = ['hrv', 'heartrate'].flatMap(resource =>
    Object.keys(SHOWN[resource] ?? {})
      .slice(0, 2)
      .map(kind => samples(resource, kind, RING, [kind === 'rmssd' || kind === 'point' ? '2026-11-18' : '2026-11-19'])),
  )
  const select = ['hrv', 'heartrate'].map(resource => ({ func: 'mean', arg: { timeseries: resource, field: 'value' } }))
  const { message } = await refusal({ select, mixed_kinds: 'refuse' }, ASKED, { samples: data })
  expect(message).toContain('rmssd (samples: 1) and sdnn (samples: 1) of hrv, and point')
  expect(message).toContain("where heartrate.kind = 'resting' in a query of this resource alone, or use split")
})

test('every resource with kinds is tested', () => {
  const named = RESOURCE_NAMES.filter(name => kindsOf(name) !== undefined)
  const namesOf = (name: string) => allKinds(kindsOf(name) as ResourceKinds).map(each => each.name)
  expect(named.map(name => [name, namesOf(name)])).toEqual(
    Object.entries(SHOWN)
      .map(([name, kinds]) => [name, Object.keys(kinds)])
      .sort((a, b) => RESOURCE_NAMES.indexOf(a[0] as string) - RESOURCE_NAMES.indexOf(b[0] as string)),
  )
})

test.each([
  ['hrv', { provider: 'whoop_v2', sourceType: 'watch' }, {}, 'rmssd_night'],
  ['hrv', { provider: 'whoop_v2', sourceType: 'watch' }, { type: 'sdnn' }, 'sdnn'],
  ['hrv', { provider: 'oura', sourceType: 'ring' }, {}, 'rmssd'],
  ['blood_oxygen', { provider: 'oura', sourceType: 'ring' }, {}, 'night_mean'],
  ['blood_oxygen', { provider: 'withings', sourceType: 'watch' }, {}, 'point'],
  ['body_temperature', { provider: 'polar', sourceType: 'watch' }, { type: 'core', sensor_location: 'wrist' }, 'skin'],
  ['vo2_max', { provider: 'manual', sourceType: 'lab' }, {}, 'measured'],
  ['vo2_max', { provider: 'manual', sourceType: 'lab' }, { type: 'run' }, 'run'],
])('the kind of %s of %j with %j is %s', async (resource, source, text, name) => {
  const data = [series({ resource, ...source }, [[`${DAY}T00:00:00`, 40, { text }]])]
  const select = [{ timeseries: resource, field: 'kind' }]
  expect(await ask({ samples: data }, { select }, { ...ASKED, anchor: '2026-11-21' })).toEqual({
    [`${resource}.kind`]: [name],
  })
})

describe.each(PAIRS)('$usual and $other of $resource', ({ resource, usual, other }) => {
  const ring = samples(resource, usual, RING, ['2026-11-17', '2026-11-18', '2026-11-19'])
  const watch = samples(resource, other, WATCH, ['2026-11-10', '2026-11-11'])
  const kind = { timeseries: resource, field: 'kind' }
  const expected = [
    {
      code: 'mixed_kinds',
      query: 0,
      resource,
      kinds: [
        { kind: usual, samples: 3 },
        { kind: other, samples: 2 },
      ],
    },
  ]

  it('has the kind as a field, which where and group_by can use', async () => {
    const count = { func: 'count', arg: { timeseries: resource, field: 'value' } }
    const result = await ask({ samples: [ring, watch] }, { select: [KEYS, count], group_by: [kind] }, ASKED)
    expect(result).toEqual({ 'group_key.0': [usual, other].sort(), count: usual < other ? [3, 2] : [2, 3] })
    const one = await ask(
      { samples: [ring, watch] },
      { select: [count], where: `${resource}.kind = '${usual}'` },
      ASKED,
    )
    expect(one['count']).toEqual([3])
  })

  it('warns for every function of both kinds, with and without groups, in any order', async () => {
    for (const { name } of AGGREGATE_FUNCTIONS) {
      const select = [{ func: name, arg: { timeseries: resource, field: 'value' } }]
      const wanted = name === 'count' ? [] : expected
      for (const data of [
        [ring, watch],
        [watch, ring],
      ]) {
        expect(await warnings(data, { select }, resource), name).toEqual(wanted)
        expect(await warnings(data, { select: [KEYS, ...select], group_by: byWeek }, resource), name).toEqual(wanted)
        expect(await warnings(data, { select, merge: true }, resource), name).toEqual(wanted)
      }
    }
  })

  it('are merged separately if the query splits them, so that a day keeps both', async () => {
    const same = samples(resource, other, WATCH, ['2026-11-17', '2026-11-18', '2026-11-19'])
    const counted = { select: [{ func: 'count', arg: { timeseries: resource, field: 'value' } }], merge: true }
    // without the kinds, a day has one source
    expect(await ask({ samples: [ring, same] }, counted, ASKED)).toEqual({ count: [3] })
    const byKind = { ...counted, select: [KEYS, ...counted.select], group_by: [kind] }
    expect(await ask({ samples: [ring, same] }, byKind, ASKED)).toEqual({
      'group_key.0': [usual, other].sort(),
      count: [3, 3],
    })
  })

  it('does not warn about one kind alone', async () => {
    for (const data of [[ring], [watch]]) {
      expect(await warnings(data, {}, resource)).toEqual([])
      expect(
        await warnings(
          data,
          { select: [KEYS, { func: 'mean', arg: { timeseries: resource, field: 'value' } }], group_by: byWeek },
          resource,
        ),
      ).toEqual([])
    }
  })

  it('does not warn if the query separates the kinds, or the other kind is not used', async () => {
    const select = [KEYS, { func: 'mean', arg: { timeseries: resource, field: 'value' } }]
    expect(await warnings([ring, watch], { select, group_by: [...byWeek, kind] }, resource)).toEqual([])
    expect(await warnings([ring, watch], { where: `${resource}.kind = '${other}'` }, resource)).toEqual([])
    // in each week, the watch wins over the ring
    const both = samples(resource, other, WATCH, ['2026-11-10', '2026-11-17'])
    expect(await warnings([ring, both], { select, group_by: byWeek }, resource)).toEqual([])
  })

  describe.each([{}, { merge: true }])('with %j', more => {
    const mean = { func: 'mean', arg: { timeseries: resource, field: 'value' } }

    it('refuses a mixture with a condition for each kind, each of which works', async () => {
      const query = { select: [KEYS, mean], group_by: byWeek, mixed_kinds: 'refuse' as const, ...more }
      const refused = await refusal(query, ASKED, { samples: [ring, watch] })
      expect(refused).toMatchObject({ code: 'mixed_kinds', status: 422, loc: 'body.queries.0.mixed_kinds' })
      expect(refused.message).toContain(`${usual} (samples: 3) and ${other} (samples: 2)`)
      const conditions = [...refused.message.matchAll(/where (\S+ = '\w+')/g)].map(([, text]) => text)
      expect(conditions).toHaveLength(2)
      for (const where of conditions) {
        const table = await ask({ samples: [ring, watch] }, { ...query, where }, ASKED)
        expect(table['mean']).toEqual([40])
      }
      expect(await ask({ samples: [ring] }, query, ASKED)).toMatchObject({ mean: [40] })
    })

    it('splits groups by kind, also those of an inner query, and warns no more', async () => {
      const warned: QueryWarning[] = []
      const asked = { ...ASKED, warn: (each: QueryWarning) => warned.push(each) }
      const column = `${resource}.kind`
      const split = { mixed_kinds: 'split' as const, ...more }
      const names = [usual, other].sort()
      const all = await ask({ samples: [ring, watch] }, { select: [mean], ...split }, asked)
      expect(all).toEqual({ mean: [40, 40], [column]: names })
      const weekly = { select: [KEYS, mean], group_by: byWeek }
      const weeks = await ask({ samples: [ring, watch] }, { ...weekly, ...split }, asked)
      expect(weeks).toEqual({
        'group_key.0': ['2026-11-09T00:00:00', '2026-11-16T00:00:00'],
        mean: [40, 40],
        [column]: [other, usual],
      })
      const outer = { func: 'mean', arg: { query: 'mean' } }
      const nested = await ask(
        { samples: [ring, watch] },
        { from: { query: weekly }, select: [outer], ...split },
        asked,
      )
      expect(nested).toEqual({ mean: [40, 40], [column]: names })
      const list = await ask(
        { samples: [ring, watch] },
        { from: { query: weekly }, select: [{ query: 'mean' }], ...split },
        asked,
      )
      expect(list).toEqual({ mean: [40, 40], [column]: [other, usual] })
      expect(warned.filter(({ code }) => code === 'mixed_kinds')).toEqual([])
    })
  })

  it('leaves a query alone that separates the kinds or uses no value', async () => {
    const count = { func: 'count', arg: { timeseries: resource, field: 'value' } }
    for (const query of [{ select: [count] }, { select: [KEYS, count], group_by: [kind] }]) {
      const alone = await ask({ samples: [ring, watch] }, query, ASKED)
      for (const mixed_kinds of ['split', 'refuse', 'warn'] as const)
        expect(await ask({ samples: [ring, watch] }, { ...query, mixed_kinds }, ASKED)).toEqual(alone)
    }
  })
})
