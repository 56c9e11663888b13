/** Every resource of the catalogue, written through the store and read with the operation: exact units, kinds and fields. */
import { beforeAll, describe, expect, it } from 'vitest'
import { RESOURCES, resourceNamed } from '../../../src/catalogue/resources.ts'
import type { UserId } from '../../../src/core/ids.ts'
import type { SampleBatch, SampleInput, SeriesKey, TextColumn } from '../../../src/core/sample.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { buildBatch, writing } from '../../store/user-store.ts'

/**
 * The documented resources, written out a second time: name, kind (`p`oint or `i`nterval), unit, extra fields. See
 * docs/interface/timeseries.md.
 */
const EXPECTED = `
steps i count | distance i m | calories_active i kcal | calories_basal i kcal | floors_climbed i count
workout_duration i min intensity | fall i count | wheelchair_push i count | stand_duration i min | stand_hour i count
heartrate p bpm | hrv p rmssd | respiratory_rate p bpm | blood_oxygen p % | blood_pressure p mmHg systolic,diastolic
glucose p mmol/L | electrocardiogram_voltage p mV | stress_level p % | body_weight p kg | body_fat p %
cholesterol p mmol/L | ige p FSU | igg p FSU | hypnogram i stage | vo2_max i mL/kg/min
body_temperature i °C sensor_location | body_temperature_delta i °C sensor_location
basal_body_temperature i °C sensor_location | body_mass_index i index | uv_exposure i index | lean_body_mass i kg
waist_circumference i cm | insulin_injection i unit delivery_mode,delivery_form,bolus_purpose | afib_burden i %
heart_rate_alert i count | heart_rate_recovery_one_minute i count | forced_expiratory_volume_1 i L
forced_vital_capacity i L | peak_expiratory_flow_rate i L/min | inhaler_usage i count | handwashing i count
sleep_apnea_alert i count | sleep_breathing_disturbance i count | daylight_exposure i min | mindfulness_minutes i min
carbohydrates i g | caffeine i g | water i ml | workout_distance i m | workout_swimming_stroke i count
note i text tags`
  .split(/[|\n]/)
  .filter(entry => entry.trim() !== '')
  .map(entry => {
    const [name = '', kind, unit = '', extra = ''] = entry.trim().split(' ')
    return { name, kind: kind === 'p' ? 'sample' : 'interval', unit, extra: extra.split(',').filter(Boolean) } as const
  })

/** Resources whose `type` is part of the key, with the documented types. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  stand_hour: ['stood', 'idle'],
  electrocardiogram_voltage: ['lead_1'],
  cholesterol: ['ldl', 'hdl', 'total', 'triglycerides'],
  ige: ['baha_grass', 'dairy'],
  igg: ['baha_grass', 'dairy'],
  insulin_injection: ['rapid_acting', 'long_acting'],
  heart_rate_alert: ['low_heart_rate', 'high_heart_rate', 'irregular_rhythm'],
  sleep_breathing_disturbance: ['elevated', 'not_elevated'],
  note: ['dictated'],
}
const TEXTS: Partial<Record<TextColumn, string>> = {
  intensity: 'high',
  sensor_location: 'armpit',
  delivery_mode: 'bolus',
  delivery_form: 'extended',
  bolus_purpose: 'meal',
  tags: '["food","unspecified"]',
}

const AT = Date.UTC(2025, 0, 10, 8)
const MINUTE = 60_000

async function createUser(h: Harness, client_user_id = 'a'): Promise<UserId> {
  return (await h.call('user.create', { body: { client_user_id } })).user_id
}

/** Resources whose values are integers. See docs/interface/timeseries.md#timeseries-2. */
const WHOLE = ['heart_rate_alert']

async function write(h: Harness, userId: UserId, ...batches: SampleBatch[]): Promise<void> {
  const outcome = await h.engine.context.store.data.write(userId, writing(batches, { teamId: h.team.teamId }))
  expect(outcome.kind).toBe('written')
}

function buildSeries(resource: string, type: string | null = null, more: Partial<SeriesKey> = {}): SeriesKey {
  return { resource, type, provider: 'oura', sourceType: 'ring', ...more }
}

const read = (h: Harness, user_id: UserId, resource: string) =>
  h.call('timeseries.grouped', { params: { user_id, resource }, query: { start_date: '2025-01-01' } })

let h: Harness
beforeAll(async () => {
  h = await openHarness()
  // the last day on which hypnogram is served
  await h.call('clock.set', { body: { set: '2025-01-30T12:00:00Z' } })
})

describe('the timeseries resources', () => {
  it('are the 51 documented ones, with their kinds and units', () => {
    expect(RESOURCES.map(({ name, kind, unit }) => ({ name, kind, unit }))).toEqual(
      EXPECTED.map(({ name, kind, unit }) => ({ name, kind, unit })),
    )
    expect(EXPECTED).toHaveLength(51)
  })

  it.each(EXPECTED)('are read as written: $name as $kind in $unit $extra', async ({ name, kind, unit, extra }) => {
    const userId = await createUser(h, name)
    const types = TYPES[name] ?? [null]
    expect(resourceNamed(name)?.discriminator !== undefined).toBe(name in TYPES)
    const text = Object.fromEntries(
      extra.flatMap(field => (TEXTS[field as TextColumn] ? [[field, TEXTS[field as TextColumn]]] : [])),
    )
    const sample = (i: number): SampleInput => ({
      start: AT + i * MINUTE,
      ...(kind === 'interval' ? { end: AT + i * MINUTE + 30_500 } : {}),
      value: name === 'note' ? 0 : 61.25 + i,
      ...(name === 'blood_pressure' ? { second: 40.5 + i } : {}),
      offset: i === 0 ? -18_000 : null,
      text: name === 'note' ? { ...text, content: `entry "${i}" — déjà vu` } : text,
    })
    await write(h, userId, ...types.map(type => buildBatch(buildSeries(name, type), [sample(0), sample(1)])))

    const page = await read(h, userId, name)
    const [group, ...others] = page.groups['oura'] ?? []
    expect(others).toEqual([])
    expect(group?.source).toEqual({
      provider: 'oura',
      type: 'ring',
      app_id: null,
      device_id: null,
      sport: null,
      workout_id: null,
    })
    const expected = [0, 1].flatMap(i =>
      types.map(type => ({
        timestamp: `2025-01-10T08:0${i}:00+00:00`,
        start: `2025-01-10T08:0${i}:00+00:00`,
        end: kind === 'interval' ? `2025-01-10T08:0${i}:30.500+00:00` : `2025-01-10T08:0${i}:00+00:00`,
        timezone_offset: i === 0 ? -18_000 : null,
        type,
        unit,
        ...(name === 'blood_pressure' ? { systolic: 61.25 + i, diastolic: 40.5 + i } : {}),
        ...(name === 'note' ? { value: `entry "${i}" — déjà vu` } : {}),
        ...(name === 'note' || name === 'blood_pressure' ? {} : { value: (WHOLE.includes(name) ? 61 : 61.25) + i }),
        ...text,
        ...(name === 'note' ? { tags: ['food', 'unspecified'] } : {}),
      })),
    )
    expect(group?.data).toEqual(expected)
    // the fields exist without values too
    const bare = { start: AT + 5 * MINUTE, value: 1, ...(name === 'blood_pressure' ? { second: 1 } : {}) }
    await write(h, userId, buildBatch(buildSeries(name, types[0]), [bare]))
    const last = (await read(h, userId, name)).groups['oura']?.[0]?.data.at(-1)
    expect(Object.keys(last ?? {})).toEqual(Object.keys(group?.data[0] ?? {}))
    for (const field of extra) if (field in TEXTS) expect(last?.[field]).toBeNull()
  })

  it('keep a type that is not part of the key next to the value', async () => {
    const userId = await createUser(h)
    const typed = (value: number, type: string) => ({ start: AT, value, text: { type } })
    await write(h, userId, buildBatch(buildSeries('glucose'), [typed(5, 'automatic')]))
    await write(h, userId, buildBatch(buildSeries('glucose'), [typed(6, 'manual_scan')]))
    const page = await read(h, userId, 'glucose')
    expect(page.groups['oura']?.[0]?.data).toMatchObject([{ value: 6, type: 'manual_scan' }])
  })
})

describe('groups', () => {
  it('are separate for each provider, source type, app, device, sport and workout', async () => {
    const userId = await createUser(h, 'groups')
    const device_id = '0f8fad5b-d9cb-469f-a165-70867728950e'
    const workout_id = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
    const contexts: Partial<Record<TextColumn, string>>[] = [
      {},
      { app_id: 'com.example.one' },
      { device_id },
      { sport: 'running' },
      { sport: 'running', workout_id },
    ]
    const samples = Array.from({ length: 10 }, (_, i) => ({
      start: AT + i * MINUTE,
      value: i,
      text: contexts[i % contexts.length] ?? {},
    }))
    const sources = [{}, { sourceType: 'app' }, { provider: 'whoop', sourceType: 'watch' }] as const
    await write(h, userId, ...sources.map(source => buildBatch(buildSeries('heartrate', null, source), samples)))

    const { groups } = await read(h, userId, 'heartrate')
    expect(Object.keys(groups).sort()).toEqual(['oura', 'whoop'])
    expect(groups['oura']).toHaveLength(10)
    expect(groups['whoop']).toHaveLength(5)
    const nothing = { app_id: null, device_id: null, sport: null, workout_id: null }
    const found = groups['whoop']?.map(group => ({ ...group, data: group.data.map(sample => sample['value']) }))
    expect(found).toEqual(
      contexts.map((context, i) => ({
        source: { provider: 'whoop', type: 'watch', ...nothing, ...context },
        data: [i, i + 5],
      })),
    )
  })

  it('merge the series that differ only in their type, in order of time', async () => {
    const userId = await createUser(h, 'types')
    const every = (from: number) =>
      Array.from({ length: 4 }, (_, i) => ({ start: AT + (from + 2 * i) * MINUTE, value: from + 2 * i }))
    await write(
      h,
      userId,
      buildBatch(buildSeries('cholesterol', 'ldl'), every(0)),
      buildBatch(buildSeries('cholesterol', 'hdl'), every(1)),
    )
    const { groups } = await read(h, userId, 'cholesterol')
    expect(groups['oura']).toHaveLength(1)
    expect(groups['oura']?.[0]?.data.map(({ value, type }) => [value, type])).toEqual(
      Array.from({ length: 8 }, (_, i) => [i, i % 2 === 0 ? 'ldl' : 'hdl']),
    )
  })
})
