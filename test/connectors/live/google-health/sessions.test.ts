/** Meals, drinks and electrocardiograms of Google Health, in the format of its reference. The expected numbers are computed by hand. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SummaryKind, SummaryRecord } from '../../../../src/core/sample.ts'
import { type FakeGoogleHealth, openGoogleHealth } from '../../../providers/google-health/google-health.ts'
import { emptyPerson, type GoogleHealthPerson, interval } from '../../../providers/google-health/person.ts'
import { readDocument } from '../../read-document.ts'
import { shownSamples } from '../pulled.ts'
import { HOUR, NOW, openSession, pullFrom } from './session.ts'

let google: FakeGoogleHealth
let person: GoogleHealthPerson
beforeEach(async () => {
  google = await openGoogleHealth()
  person = emptyPerson()
  google.people.set('person-1', person)
})
afterEach(() => google.close())

function put(type: string, id: string, body: Readonly<Record<string, unknown>>, dataSource?: unknown): void {
  person.points[type] ??= []
  person.points[type].push({ id, body, ...(dataSource === undefined ? {} : { dataSource }) })
}

/** Checks the document against the published schema. */
function checked(summary: SummaryRecord | undefined, kind: SummaryKind): Readonly<Record<string, unknown>> {
  expect(summary?.kind).toBe(kind)
  return readDocument(summary as SummaryRecord)
}

const START = Date.parse('2026-11-20T08:00:00Z')

describe('something eaten', () => {
  const log = {
    interval: interval(START, START + 15 * 60_000, 19_800),
    energy: { kcal: 280, userProvidedUnit: 'KILOCALORIE' },
    energyFromFat: { kcal: 18 },
    serving: { amount: 4, foodMeasurementUnitDisplayName: 'pieces' },
    mealType: 'DINNER',
    foodDisplayName: 'Phulka',
    totalCarbohydrate: { grams: 60 },
    totalFat: { grams: 2 },
    nutrients: [
      { nutrient: 'PROTEIN', quantity: { grams: 12 } },
      { nutrient: 'DIETARY_FIBER', quantity: { grams: 4 } },
      { nutrient: 'SATURATED_FAT', quantity: { grams: 0.5 } },
      { nutrient: 'SODIUM', quantity: { grams: 0.4, userProvidedUnit: 'MILLIGRAM' } },
      { nutrient: 'VITAMIN_B12', quantity: { grams: 0.000002 } },
      { nutrient: 'CAFFEINE', quantity: { grams: 0.08 } },
      { nutrient: 'TRANS_FAT', quantity: { grams: 0.1 } },
    ],
  }

  it('is a meal with its nutrients, and its amounts of carbohydrates and caffeine', async () => {
    put('nutrition-log', 'n-1', log)
    const { records, unmapped } = await pullFrom(google, 'nutrition-log')
    expect(records.map(each => each.id)).toEqual(['n-1'])
    const [meal] = records[0]?.summaries ?? []
    expect(meal).toMatchObject({ at: START, date: '2026-11-20', offset: 19_800, sourceType: 'app' })
    expect(checked(meal, 'meal')).toEqual({
      timestamp: '2026-11-20T08:00:00+00:00',
      name: 'Phulka',
      energy: { unit: 'kcal', value: 280 },
      macros: {
        carbs: 60,
        protein: 12,
        fats: {
          saturated: 0.5,
          monounsaturated: null,
          polyunsaturated: null,
          omega3: null,
          omega6: null,
          total: 2,
        },
        alcohol: null,
        water: null,
        fibre: 4,
        sugar: null,
        cholesterol: null,
      },
      micros: { minerals: { sodium: 400 }, trace_elements: null, vitamins: { vitamin_b12: 2 } },
      data: null,
      priority_id: 0,
      source_id: 0,
      provider_id: 'n-1',
      source_app_id: null,
      source_device_id: null,
    })
    const common = { sourceType: 'app', start: '2026-11-20T08:00:00Z', end: '2026-11-20T08:15:00Z', offset: 19_800 }
    expect(shownSamples(records[0]?.batches ?? [])).toEqual([
      { ...common, resource: 'carbohydrates', value: 60 },
      { ...common, resource: 'caffeine', value: 0.08 },
    ])
    expect(unmapped).toEqual({ 'nutrition-log.energyFromFat': 1, 'nutrition-log.nutrients TRANS_FAT': 1 })
  })

  it('without a name is named after its type, and without nutrients has none', async () => {
    const { interval: when } = log
    put('nutrition-log', 'n-1', { interval: when, mealType: 'BEFORE_LUNCH', energy: { kcal: 90 } })
    put('nutrition-log', 'n-2', { interval: when })
    const { records } = await pullFrom(google, 'nutrition-log')
    const names = records.map(each => checked(each.summaries[0], 'meal'))
    expect(names.map(each => each['name'])).toEqual(['Before lunch', 'Meal'])
    expect(names[1]).toMatchObject({ energy: null, micros: null, macros: { carbs: null } })
    expect(records.flatMap(each => each.batches)).toEqual([])
  })
})

describe('something drunk', () => {
  it('is a sample of water in millilitres', async () => {
    put('hydration-log', 'h-1', {
      interval: interval(START, START + 30_000, 3600),
      amountConsumed: { milliliters: 250, userProvidedUnit: 'MILLILITER' },
    })
    put('hydration-log', 'h-2', { interval: interval(START, START, 3600), amountConsumed: {} })
    const { records, unmapped } = await pullFrom(google, 'hydration-log')
    expect(records.map(each => each.id)).toEqual(['h-1'])
    expect(shownSamples(records[0]?.batches ?? [])).toEqual([
      {
        resource: 'water',
        sourceType: 'app',
        start: '2026-11-20T08:00:00Z',
        end: '2026-11-20T08:00:30Z',
        value: 250,
        offset: 3600,
      },
    ])
    expect(unmapped).toEqual({ 'hydration-log without a time or an amount': 1 })
  })

  it('needs the nutrition scope', async () => {
    const { accessToken } = openSession(google, ['sleep.readonly']).tokenSet
    const url = `${google.url}/v4/users/me/dataTypes/hydration-log/dataPoints:reconcile`
    expect((await fetch(url, { headers: { authorization: `Bearer ${accessToken}` } })).status).toBe(403)
  })
})

describe('an electrocardiogram', () => {
  const reading = {
    // the reference: both ends are the time of the reading, and old ones have no offset
    interval: { startTime: '2026-11-20T08:00:00Z', endTime: '2026-11-20T08:00:00Z' },
    beatsPerMinuteAvg: '68',
    resultClassification: 'NORMAL_SINUS_RHYTHM',
    waveformSamples: [0, 100, 200, -50, -100],
    samplingFrequencyHertz: 500,
    millivoltsScalingFactor: 200,
    leadNumber: 1,
    medicalDeviceInfo: { firmwareVersion: '4.0.2', featureVersion: '3.0', deviceModel: 'Pixel Watch 2' },
  }
  const watch = { recordingMethod: 'ACTIVELY_MEASURED', device: { formFactor: 'WATCH', displayName: 'Watch' } }

  it('is a summary, with its voltages in millivolts', async () => {
    put('electrocardiogram', 'e-1', reading, watch)
    const { records, unmapped } = await pullFrom(google, 'electrocardiogram')
    const [summary] = records[0]?.summaries ?? []
    expect(summary).toMatchObject({ at: START, date: '2026-11-20', offset: null, sourceType: 'watch' })
    expect(checked(summary, 'electrocardiogram')).toEqual({
      session_start: '2026-11-20T08:00:00+00:00',
      // five samples of 2 ms
      session_end: '2026-11-20T08:00:00.010+00:00',
      voltage_sample_count: 5,
      heart_rate_mean: 68,
      sampling_frequency_hz: 500,
      classification: 'sinus_rhythm',
      inconclusive_cause: null,
      algorithm_version: null,
      time_zone: null,
      source_provider: 'google_health',
      source_type: 'watch',
      source_app_id: null,
      source_device_id: null,
      source_device_model: 'Pixel Watch 2',
    })
    const samples = shownSamples(records[0]?.batches ?? [])
    // 500 a second are 2 ms apart; 200 steps are a millivolt
    expect(samples.map(each => [Date.parse(each.start) - START, each.value])).toEqual([
      [0, 0],
      [2, 0.5],
      [4, 1],
      [6, -0.25],
      [8, -0.5],
    ])
    expect(samples[0]).toMatchObject({ resource: 'electrocardiogram_voltage', sourceType: 'watch', offset: null })
    expect(records[0]?.batches[0]?.series.type).toBe('lead_1')
    expect(unmapped).toEqual({})
  })

  it.each([
    ['ATRIAL_FIBRILLATION', 'atrial_fibrillation', null],
    ['INCONCLUSIVE', 'inconclusive', null],
    ['INCONCLUSIVE_HIGH_HEART_RATE', 'inconclusive', 'high_heart_rate'],
    ['INCONCLUSIVE_LOW_HEART_RATE', 'inconclusive', 'low_heart_rate'],
    ['UNREADABLE', 'inconclusive', 'poor_reading'],
    ['NOT_ANALYZED', null, null],
  ])('that is %s is marked as such', async (resultClassification, classification, cause) => {
    put('electrocardiogram', 'e-1', { ...reading, resultClassification, millivoltsScalingFactor: 0 })
    const { records, unmapped } = await pullFrom(google, 'electrocardiogram')
    const document = checked(records[0]?.summaries[0], 'electrocardiogram')
    expect(document).toMatchObject({ classification, inconclusive_cause: cause })
    expect(records[0]?.batches).toEqual([])
    expect(unmapped).toEqual({ 'electrocardiogram.waveformSamples without a frequency or a factor': 1 })
  })

  it('is listed from a start time on, in small pages, and one after the window is left for the next window', async () => {
    put('electrocardiogram', 'e-1', reading)
    put('electrocardiogram', 'e-2', { ...reading, interval: interval(START + HOUR, START + HOUR) })
    const window = { from: START - HOUR, to: START + HOUR }
    const { records } = await pullFrom(google, 'electrocardiogram', { window })
    expect(records.map(each => each.id)).toEqual(['e-1'])
    const [asked] = google.requests.filter(each => each.path.includes('electrocardiogram'))
    expect(asked?.path).toBe('/v4/users/me/dataTypes/electrocardiogram/dataPoints')
    expect(asked?.query.get('filter')).toBe('electrocardiogram.interval.start_time >= "2026-11-20T07:00:00.000Z"')
    expect(asked?.query.get('pageSize')).toBe('25')
    expect((await pullFrom(google, 'electrocardiogram', { window: { from: NOW, to: NOW + HOUR } })).records).toEqual([])
  })
})
