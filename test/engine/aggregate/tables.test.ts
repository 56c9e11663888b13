/** The other tables: where each column comes from, what the index is, and the where clause on each of them. */
import { describe, expect, test } from 'vitest'
import { SUMMARY_TABLES } from '../../../src/catalogue/query-columns.ts'
import { DATE_PARTS } from '../../../src/catalogue/query-functions.ts'
import type { StoredSummary } from '../../../src/store/sample.ts'
import { ask, refusal, sleep, summary, utc } from './memory-source.ts'

/** Checks a row in the named columns. */
async function row(table: string, row: StoredSummary, expected: Record<string, unknown>): Promise<void> {
  const select = Object.keys(expected).map(name => (name === 'index' ? { index: table } : { [table]: name }))
  const result = await ask({ summaries: [row] }, { select } as never)
  expect(result).toEqual(Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, [value]])))
}

test('workout is indexed by its local start', async () => {
  const document = {
    time_start: '2024-12-12T23:30:00+00:00',
    time_end: '2024-12-13T00:15:00+00:00',
    title: 'Run',
    sport: { id: 1, name: 'Running', slug: 'running' },
    moving_time: 2580,
    average_hr: 151.5,
    max_hr: 182,
    hr_zones: [0, 60.5, 600, 1200, 700, 140],
    distance: 8200.25,
    calories: 512.5,
    total_elevation_gain: 40,
    elev_high: 120.5,
    elev_low: 80,
    average_speed: 3.125,
    max_speed: 5.5,
    average_watts: 210,
    device_watts: 210,
    max_watts: 500,
    weighted_average_watts: 222,
    steps: 7000,
    map: { polyline: 'abc', summary_polyline: 'a' },
    provider_id: 'w-1',
  }
  await row('workout', summary('workouts', '2024-12-12T23:30:00', document, { offset: 3600, appId: 'run.app' }), {
    index: '2024-12-13T00:30:00',
    session_start: '2024-12-13T00:30:00',
    session_end: '2024-12-13T01:15:00',
    title: 'Run',
    sport_name: 'Running',
    sport_slug: 'running',
    duration_active_second: 2580,
    heart_rate_mean: 152,
    heart_rate_minimum: null,
    heart_rate_maximum: 182,
    heart_rate_zone_1: 0,
    heart_rate_zone_2: 61,
    heart_rate_zone_6: 140,
    distance_meter: 8200.25,
    calories: 512.5,
    elevation_gain_meter: 40,
    elevation_maximum_meter: 120.5,
    elevation_minimum_meter: 80,
    speed_mean: 3.125,
    speed_maximum: 5.5,
    power_source: 'device',
    power_mean: 210,
    power_maximum: 500,
    power_weighted_mean: 222,
    steps: 7000,
    map_polyline: 'abc',
    map_summary_polyline: 'a',
    external_id: 'w-1',
    time_zone: null,
    source_type: 'ring',
    source_provider: 'oura',
    source_app_id: 'run.app',
    source_device_id: null,
  })
  await row('workout', summary('workouts', '2024-12-12', {}), { power_source: null, sport_name: null, steps: null })
})

test('body is indexed by the time of the measurement', async () => {
  const document = { weight: 80.25, fat: 20.5, water_percentage: 55, body_mass_index: 24.5, visceral_fat_index: 7 }
  await row('body', summary('body', '2024-12-13T06:30:00', document, { offset: -3600 }), {
    index: '2024-12-13T05:30:00',
    measured_at: '2024-12-13T05:30:00',
    weight_kilogram: 80.25,
    fat_mass_percentage: 20.5,
    water_percentage: 55,
    muscle_mass_percentage: null,
    visceral_fat_index: 7,
    bone_mass_percentage: null,
    body_mass_index: 24.5,
    lean_body_mass_kilogram: null,
    waist_circumference_centimeter: null,
    time_zone: null,
  })
})

test('meal finds nutrients in whichever list the provider uses', async () => {
  const document = {
    name: 'Lunch',
    energy: { unit: 'kcal', value: 650 },
    macros: { carbs: 70.5, protein: 30, fats: { saturated: 5, omega3: 1.5, total: 20 }, water: null, fibre: 9 },
    micros: { minerals: { sodium: 800 }, trace_elements: { zinc: 4.5, selenium: 12 }, vitamins: { vitamin_c: 60 } },
  }
  await row('meal', summary('meal', '2024-12-13T12:00:00', document), {
    index: '2024-12-13T12:00:00',
    date: '2024-12-13',
    name: 'Lunch',
    calories: 650,
    carbohydrate_gram: 70.5,
    protein_gram: 30,
    alcohol_gram: null,
    water_gram: null,
    fibre_gram: 9,
    saturated_fat_gram: 5,
    omega3_fat_gram: 1.5,
    omega6_fat_gram: null,
    total_fat_gram: 20,
    sodium_milligram: 800,
    zinc_milligram: 4.5,
    selenium_microgram: 12,
    vitamin_c_milligram: 60,
    vitamin_d_microgram: null,
  })
  await row('meal', summary('meal', '2024-12-13', { macros: null }), { total_fat_gram: null, iron_milligram: null })
})

test('menstrual_cycle is indexed by the first day of the period, whatever the summary’s date', async () => {
  const document = { period_start: '2024-12-01', period_end: '2024-12-05', is_predicted: true }
  await row('menstrual_cycle', summary('menstrual_cycle', '2024-08-01', document), {
    index: '2024-12-01T00:00:00',
    period_start: '2024-12-01',
    period_end: '2024-12-05',
    cycle_end: null,
    is_predicted: true,
    source_provider: 'oura',
  })
  await row('menstrual_cycle', summary('menstrual_cycle', '2024-12-02T05:00:00', {}), {
    index: '2024-12-02T00:00:00',
    period_start: '2024-12-02',
  })
})

test('profile is indexed by its last update, in UTC', async () => {
  const document = { height: 181.5, birth_date: '1990-02-28', wheelchair_use: false, gender: 'female', sex: 'female' }
  const times = { createdAt: utc('2024-01-01T10:00:00'), updatedAt: utc('2024-12-13T23:30:00'), offset: 7200 }
  await row('profile', summary('profile', '2020-05-05', document, times), {
    index: '2024-12-13T23:30:00',
    height_centimeter: 182,
    birth_date: '1990-02-28',
    wheelchair_use: false,
    gender: 'female',
    sex: 'female',
    created_at: '2024-01-01T10:00:00',
    updated_at: '2024-12-13T23:30:00',
  })
})

describe('where', () => {
  const keeps = async (
    table: string,
    kind: StoredSummary['kind'],
    document: Record<string, unknown>,
    where: string,
  ) => {
    const summaries = [summary(kind, '2024-12-13', { period_start: '2024-12-13', ...document })]
    return (await ask({ summaries }, { select: [{ index: table }], where }))['index']?.length
  }

  test.each([
    [
      'workout',
      'workouts',
      { sport: { slug: 'running' }, distance: 5000 },
      "sport_slug = 'running' AND distance_meter >= 5000",
    ],
    ['body', 'body', { weight: 80 }, "weight_kilogram > 79.5 AND measured_at < '2024-12-14'"],
    ['meal', 'meal', { name: "Bob's", macros: { protein: 30 } }, "name = 'Bob''s' AND protein_gram = 30"],
    [
      'menstrual_cycle',
      'menstrual_cycle',
      { is_predicted: false },
      "is_predicted = false AND period_start = '2024-12-13'",
    ],
    ['profile', 'profile', { sex: 'male', height: 180 }, "sex != 'female' AND NOT height_centimeter < 180"],
  ] as const)('reads the columns of %s', async (table, kind, document, where) => {
    expect(await keeps(table, kind, document, where)).toBe(1)
    expect(await keeps(table, kind, document, `NOT (${where})`)).toBe(0)
    expect(await keeps(table, kind, document, `${where} AND source_type = 'watch'`)).toBe(0)
  })

  test('refuses columns of another table, and value macros', async () => {
    for (const { name, columns } of SUMMARY_TABLES) {
      const refused = await refusal({ select: [{ index: name }], where: 'no_such_column = 1' })
      expect(refused).toMatchObject({ code: 'unknown_column', loc: 'body.queries.0.where' })
      const near = `${columns[0]?.name}x`
      expect((await refusal({ select: [{ index: name }], where: `${near} = 1` })).message).toContain('Did you mean')
    }
    const macro = await refusal({ select: [{ index: 'sleep' }], where: 'sleep_score > 50' })
    expect(macro.message).toContain('where cannot read macros')
  })
})

test('every date part can be a key in every table', async () => {
  // a Sunday, the 364th day, in week 52
  const at = '2024-12-29T13:45:10'
  const expected: Record<string, number> = {
    minute: 45,
    hour: 13,
    day: 29,
    week: 52,
    month: 12,
    year: 2024,
    weekday: 7,
    week_of_year: 52,
    day_of_year: 364,
  }
  const query = (index: string) => ({
    select: [{ group_key: '*' as const }, { func: 'count', arg: null }],
    group_by: DATE_PARTS.map(date_part => ({ date_part, arg: { index } })),
  })
  const asked = { anchor: '2024-12-31' }
  const values = Object.values(await ask({ summaries: [sleep(at, {})] }, query('sleep'), asked)).map(([value]) => value)
  expect(values).toEqual([...DATE_PARTS.map(part => expected[part]), 1])
  for (const { name, summary: kind } of SUMMARY_TABLES) {
    const rows = [summary(kind ?? 'sleep', at, {}, { updatedAt: utc(at) })]
    const result = await ask({ summaries: rows }, query(name), asked)
    expect(result['group_key.6'], name).toEqual([7])
    expect(result['count'], name).toEqual([1])
  }
})

test('columns of every type can be group keys', async () => {
  const document = { title: 'Run', time_start: '2024-12-13T10:00:00+00:00', steps: 100, distance: 1.5 }
  const summaries = [
    summary('workouts', '2024-12-13T10:00:00', document),
    summary('workouts', '2024-12-13T11:00:00', { ...document, steps: 50 }),
    summary('workouts', '2024-12-13T12:00:00', {}),
  ]
  const keys = ['title', 'session_start', 'steps', 'distance_meter'].map(workout => ({ workout }))
  expect(await ask({ summaries }, { select: [{ group_key: '*' }], group_by: keys })).toEqual({
    'group_key.0': ['Run', 'Run', null],
    'group_key.1': ['2024-12-13T10:00:00', '2024-12-13T10:00:00', null],
    'group_key.2': [50, 100, null],
    'group_key.3': [1.5, 1.5, null],
  })
})
