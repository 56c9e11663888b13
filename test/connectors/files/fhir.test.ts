/** How FHIR observations are converted, alone and in bundles, lists and lines. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OBSERVATION_CODES } from '../../../src/catalogue/labs/observation-codes.ts'
import { resourceNamed } from '../../../src/catalogue/resources.ts'
import { fhir } from '../../../src/connectors/files/fhir/fhir.ts'
import { importerFor } from '../../../src/connectors/files/formats.ts'
import { readContent, readFile, reasons } from './record-files.ts'

const SAMPLES = join(import.meta.dirname, '../../fixtures/samples/fhir')
const LOINC = 'http://loinc.org'

function coded(code: string, system = LOINC): object {
  return {
    coding: [
      { system: 'http://example.org', code: 'x' },
      { system, code },
    ],
  }
}

function quantity(value: number, unit: string): object {
  return { value, unit: 'as shown', code: unit, system: 'http://unitsofmeasure.org' }
}

/** Returns a heart rate observation; `more` overrides its fields. */
function observation(more: object = {}): object {
  return {
    resourceType: 'Observation',
    status: 'final',
    subject: { reference: 'Patient/1', display: 'Canary' },
    code: coded('8867-4'),
    effectiveDateTime: '2025-03-01T08:00:00+01:00',
    valueQuantity: quantity(62, '/min'),
    ...more,
  }
}

test('reads the published examples', async () => {
  const pressure = await readFile(fhir, join(SAMPLES, 'Observation-average-blood-pressure.json'))
  expect(pressure).toMatchObject({ records: 1, skipped: {}, error: undefined })
  expect(pressure.samples).toMatchObject([
    {
      resource: 'blood_pressure',
      provider: 'manual',
      sourceType: 'unknown',
      value: 109,
      second: 72,
      start: '2023-08-03T01:06:52.480Z',
      offset: null,
    },
  ])
  const glucose = await readFile(fhir, join(SAMPLES, 'observation-serum-glucose.json'))
  expect(glucose.samples).toMatchObject([{ resource: 'glucose', value: 4.218566, start: '2005-07-05T00:00:00.000Z' }])
  const sodium = await readFile(fhir, join(SAMPLES, 'observation-serum-sodium.json'))
  expect(sodium).toMatchObject({ records: 1, samples: [] })
  expect(sodium.skipped).toEqual({ 'LOINC 2951-2 is not imported': { count: 1, places: ['byte 0'] } })
})

test('maps every code in the catalogue to an existing resource and one of its types', () => {
  for (const [code, { resource, type }] of OBSERVATION_CODES) {
    expect(code).toMatch(/^\d{1,7}-\d$/)
    const known = resourceNamed(resource)
    expect([code, known?.name]).toEqual([code, resource])
    if (type !== null) expect(known?.discriminator).toContain(type)
  }
})

test('reads the same samples from a bundle, a list, lines and a bundle in a list', async () => {
  const all = [observation(), observation({ effectiveDateTime: '2025-03-01T09:00:00+01:00' })]
  const bundle = { resourceType: 'Bundle', type: 'searchset', entry: all.map(resource => ({ resource })) }
  const entriesFirst = { entry: bundle.entry, resourceType: 'Bundle' }
  const forms = [
    JSON.stringify(bundle),
    JSON.stringify(bundle, null, 2),
    JSON.stringify(entriesFirst),
    JSON.stringify(all),
    `${all.map(each => JSON.stringify(each)).join('\n')}\n`,
    JSON.stringify([bundle]),
    JSON.stringify({ resourceType: 'Bundle', entry: [{ resource: bundle }] }),
  ]
  for (const form of forms) {
    expect(importerFor(Buffer.from(form).subarray(0, 4096)).format).toBe('fhir')
    const read = await readContent(fhir, form)
    expect(read).toMatchObject({ records: 2, skipped: {}, error: undefined })
    expect(read.samples.map(each => [each.resource, each.value, each.start, each.offset])).toEqual([
      ['heartrate', 62, '2025-03-01T07:00:00.000Z', 3600],
      ['heartrate', 62, '2025-03-01T08:00:00.000Z', 3600],
    ])
  }
})

test.each([
  ['55423-8', 812, '{steps}', 'steps', 812],
  ['29463-7', 150, '[lb_av]', 'body_weight', 68.038856],
  ['8310-5', 98.6, '[degF]', 'body_temperature', 37],
  ['59408-5', 97, '%', 'blood_oxygen', 97],
  ['2708-6', 0.97, '1', 'blood_oxygen', 97],
  ['15074-8', 6.3, 'mmol/L', 'glucose', 6.3],
  ['2085-9', 45, 'mg/dL', 'cholesterol', 1.163693],
  ['2571-8', 100, 'mg/dL', 'cholesterol', 1.12905],
  ['39156-5', 22.4, 'kg/m2', 'body_mass_index', 22.4],
])('LOINC %s of %d %s is %s', async (code, value, unit, resource, stored) => {
  const read = await readContent(
    fhir,
    JSON.stringify(observation({ code: coded(code), valueQuantity: quantity(value, unit) })),
  )
  expect(read.samples).toMatchObject([{ resource, value: stored }])
})

test('stores cholesterol under its type and a temperature with its body location', async () => {
  const read = await readContent(
    fhir,
    JSON.stringify([
      observation({ code: coded('13457-7'), valueQuantity: quantity(3.2, 'mmol/L') }),
      observation({ code: coded('8331-1'), valueQuantity: quantity(36.8, 'Cel') }),
    ]),
  )
  expect(read.samples).toMatchObject([
    { resource: 'cholesterol', type: 'ldl', text: {} },
    { resource: 'body_temperature', type: null, text: { sensor_location: 'mouth' } },
  ])
})

test('joins a blood pressure reading from its components, or from two observations at the same time', async () => {
  const half = (code: string, value: number, more: object = {}): object => ({
    code: coded(code),
    valueQuantity: quantity(value, 'mm[Hg]'),
    ...more,
  })
  const panel = observation({
    code: coded('85354-9'),
    valueQuantity: undefined,
    component: [half('8462-4', 80), half('8480-6', 121)],
  })
  const later = { effectiveDateTime: '2025-03-01T10:00:00+01:00' }
  const read = await readContent(
    fhir,
    JSON.stringify([
      panel,
      observation(half('8480-6', 118, later)),
      observation(half('8462-4', 77, later)),
      observation(half('8480-6', 130, { effectiveDateTime: '2025-03-02T10:00:00+01:00' })),
    ]),
  )
  expect(read.records).toBe(4)
  expect(read.samples.map(each => [each.value, each.second])).toEqual([
    [121, 80],
    [118, 77],
  ])
  expect(read.skipped).toEqual({
    'the other half of a blood pressure reading that is stored': { count: 1, places: ['entry 3'] },
    'a blood pressure value has no other half': { count: 1, places: ['entry 4'] },
  })
})

test('stores components with other codes as separate samples', async () => {
  const component = [
    { code: coded('8867-4'), valueQuantity: quantity(70, '/min') },
    { code: coded('9279-1'), valueQuantity: quantity(14, '/min') },
  ]
  const read = await readContent(
    fhir,
    JSON.stringify(observation({ code: coded('85353-1'), valueQuantity: undefined, component })),
  )
  expect(read.samples.map(each => [each.resource, each.value])).toEqual([
    ['heartrate', 70],
    ['respiratory_rate', 14],
  ])
})

test('stores a period as an interval if the resource allows it; a date alone starts at midnight in the user’s time zone', async () => {
  const steps = { code: coded('55423-8'), valueQuantity: quantity(10, '{steps}'), effectiveDateTime: undefined }
  const read = await readContent(
    fhir,
    JSON.stringify([
      observation({ ...steps, effectivePeriod: { start: '2025-03-01T08:00:00Z', end: '2025-03-01T09:00:00Z' } }),
      observation({ ...steps, effectivePeriod: { start: '2025-03-02', end: '2025-03-02' } }),
      observation({ effectiveDateTime: '2025-03-03' }),
      observation({ effectiveDateTime: undefined, effectiveInstant: '2025-03-04T00:00:00.123Z' }),
    ]),
    { timeZone: 'Europe/Berlin' },
  )
  expect(read.samples.map(each => [each.start, each.end, each.offset])).toEqual([
    ['2025-03-01T08:00:00.000Z', '2025-03-01T09:00:00.000Z', null],
    ['2025-03-01T23:00:00.000Z', '2025-03-02T23:00:00.000Z', 3600],
    ['2025-03-02T23:00:00.000Z', '2025-03-02T23:00:00.000Z', 3600],
    ['2025-03-04T00:00:00.123Z', '2025-03-04T00:00:00.123Z', null],
  ])
})

test.each([
  ['was entered in error', { status: 'entered-in-error' }, 'an observation has the status entered-in-error'],
  ['was cancelled', { status: 'cancelled' }, 'an observation has the status cancelled'],
  ['has no code', { code: undefined }, 'an observation has no LOINC code'],
  [
    'has a code of another system',
    { code: coded('8867-4', 'http://snomed.info/sct') },
    'an observation has no LOINC code',
  ],
  ['has no time', { effectiveDateTime: undefined }, 'an observation has no effective time'],
  ['has a month for a time', { effectiveDateTime: '2025-03' }, 'an observation has a year or a month instead of a day'],
  ['has no value', { valueQuantity: undefined }, 'an observation has no value that is a quantity'],
  [
    'says why it has none',
    { valueQuantity: undefined, dataAbsentReason: { text: 'x' } },
    'an observation states that its value is absent',
  ],
  [
    'has a bound',
    { valueQuantity: { value: 5, comparator: '<', code: '/min' } },
    'an observation has a bound instead of a value',
  ],
  [
    'has a foreign unit',
    { valueQuantity: quantity(5, 'km') },
    'an observation has the unit km, which its resource does not support',
  ],
  ['has no unit', { valueQuantity: { value: 5 } }, 'an observation has a value without a unit'],
  [
    'is a whole number without a unit',
    { valueQuantity: undefined, valueInteger: 5 },
    'an observation has a value without a unit',
  ],
  [
    'has a date in the future',
    { effectiveDateTime: '2031-01-01T00:00:00Z' },
    'LOINC 8867-4 starts more than a day in the future',
  ],
  ['is of another type', { resourceType: 'Patient' }, 'Patient is not imported'],
  ['is of no known type', { resourceType: '<Canary>' }, 'a resource of another type is not imported'],
])('skips an observation that %s, and reads the next one', async (_what, more, reason) => {
  const read = await readContent(fhir, JSON.stringify([observation(more), observation()]))
  expect(read.records).toBe(2)
  expect(read.samples).toHaveLength(1)
  expect(read.skipped).toEqual({ [reason]: { count: 1, places: ['entry 1'] } })
})

test('accepts steps as a whole number without a unit', async () => {
  const read = await readContent(
    fhir,
    JSON.stringify(observation({ code: coded('55423-8'), valueQuantity: undefined, valueInteger: 500 })),
  )
  expect(read.samples).toMatchObject([{ resource: 'steps', value: 500 }])
})

test('refuses observations of two patients, because they would be mixed', async () => {
  const other = observation({ subject: { reference: 'https://server.example/fhir/Patient/2' } })
  const same = observation({ subject: { reference: 'https://server.example/fhir/Patient/1' } })
  const read = await readContent(fhir, JSON.stringify([observation(), same, other]))
  expect(read.samples).toHaveLength(2)
  expect(read.error).toMatchObject({
    code: 'invalid_file',
    message: expect.stringMatching(/more than one person: entry 3/),
  })
})

test('distinguishes patients that a bundle refers to by its own entries', async () => {
  const of = (id: number): object =>
    observation({ subject: { reference: `urn:uuid:0f0e0d0c-0b0a-4000-8000-00000000000${id}` } })
  expect((await readContent(fhir, JSON.stringify([of(1), of(1)]))).error).toBeUndefined()
  const read = await readContent(fhir, JSON.stringify([of(1), of(2)]))
  expect(read.error?.message).toBe(
    'The file contains data of more than one person: entry 2 belongs to a different person than the records before it.',
  )
})

test('skips a line or entry that is not JSON, and yields the records before the end of a truncated file', async () => {
  const good = JSON.stringify(observation())
  const lines = await readContent(fhir, `${good}\n{"resourceType": "Observation", "status\n${good}\n`)
  expect(lines).toMatchObject({ records: 3, error: undefined })
  expect(reasons(lines)).toEqual({ 'a resource is not well-formed JSON': 1 })
  const bundle = `{"resourceType":"Bundle","entry":[{"resource":${good}},{"resource":${good.slice(0, 40)}`
  const cut = await readContent(fhir, bundle)
  expect(cut).toMatchObject({ records: 1, error: { code: 'invalid_file', message: expect.stringMatching(/cut off/) } })
  expect(cut.samples).toHaveLength(1)
})

test('neither stores nor reports anything about the person', async () => {
  const read = await readContent(
    fhir,
    JSON.stringify([observation({ note: [{ text: 'Canary' }] }), observation({ code: {} })]),
  )
  expect(JSON.stringify(read)).not.toContain('Canary')
})

test('stores the data under the source that the caller chooses', async () => {
  const read = await readContent(fhir, JSON.stringify(observation()), { provider: 'omron', sourceType: 'cuff' })
  expect(read.samples).toMatchObject([{ provider: 'omron', sourceType: 'cuff' }])
})
