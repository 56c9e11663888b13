/** The known traps of Apple Health exports, each in the form that occurs in real files. */
import { expect, test } from 'vitest'
import { accounted, buildZip, exportXml, importBytes, record } from '../exports.ts'

const Q = 'HKQuantityTypeIdentifier'
const at = (minute: number): Record<string, string> => ({
  startDate: `2026-01-01 08:${String(minute).padStart(2, '0')}:00 +0100`,
  endDate: `2026-01-01 08:${String(minute).padStart(2, '0')}:30 +0100`,
})
const device = (address: string, name = 'Apple Watch'): string =>
  `&lt;&lt;HKDevice: ${address}&gt;, name:${name}, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:10.3&gt;`
/** Returns a record with children. */
const around = (tag: string, children: string): string => `${tag.replace(/\/>$/, '>')}${children}</Record>`
const typedIn = '<MetadataEntry key="HKWasUserEntered" value="1"/>'

test('skips the malformed document type of some exports', async () => {
  const broken = `<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 12 -->
<!ELEMENT VisionPrescription ((RightEye|LeftEye|MetadataEntry)*)>
<!ATTLIST VisionPrescription
  brand            CDATA #IMPLIED
<!ELEMENT RightEye EMPTY>
<!ATTLIST RightEye
  sphere           CDATA #IMPLIED
>
  device           CDATA #IMPLIED
<!ELEMENT MetadataEntry EMPTY>
>
]>`
  const xml = exportXml(record(`${Q}StepCount`, '42', 'count')).replace(/<!DOCTYPE[\s\S]*?\]>/, broken)
  expect((await importBytes(xml)).samples).toMatchObject([{ value: 42 }])
})

test('reads records whose texts contain a vertical tab or another control character', async () => {
  const odd = { sourceName: 'Some\u000bApp\u0001', sourceVersion: '1\u000b2' }
  const read = await importBytes(
    exportXml(around(record(`${Q}StepCount`, '42', 'count', odd), '<MetadataEntry key="note" value="a\u000bb"/>')),
  )
  expect(read.samples).toMatchObject([{ value: 42, sourceType: 'app' }])
})

test('keeps the records of one device together even if each contains another memory address', async () => {
  const records = Array.from({ length: 300 }, (_, i) =>
    record(`${Q}HeartRate`, String(60 + (i % 9)), 'count/min', {
      device: device(`0x${(0x28_0000 + i * 7919).toString(16)}`),
      startDate: new Date(Date.UTC(2025, 0, 1) + i * 1000).toISOString(),
      endDate: new Date(Date.UTC(2025, 0, 1) + i * 1000).toISOString(),
    }),
  )
  const read = await importBytes(exportXml(records.join('\n')))
  expect(read.samples).toHaveLength(300)
  expect(new Set(read.samples.map(each => each.sourceType))).toEqual(new Set(['watch']))
})

test('does not store a record inside a correlation a second time', async () => {
  const one = record(`${Q}DietaryCarbohydrates`, '30', 'g', at(1))
  const read = await importBytes(
    exportXml(
      `${one}<Correlation type="HKCorrelationTypeIdentifierFood">${around(one, typedIn)}${one}<MetadataEntry key="HKFoodType" value="x"/></Correlation>`,
    ),
  )
  expect(read.samples).toMatchObject([{ resource: 'carbohydrates', value: 30 }])
  expect([read.records, accounted(read)]).toEqual([2, 2])
})

test('stores manually entered data under app, also from a watch or phone, and only that data', async () => {
  const onWatch = { device: device('0x1') }
  const read = await importBytes(
    exportXml(
      [
        around(record(`${Q}BodyMass`, '70', 'kg', { ...at(1), ...onWatch }), typedIn),
        around(record(`${Q}BodyMass`, '71', 'kg', { ...at(2), ...onWatch }), typedIn.replace('"1"', '"0"')),
        around(
          record(`${Q}BodyMass`, '72', 'kg', { ...at(3), ...onWatch }),
          '<MetadataEntry key="HKTimeZone" value="1"/>',
        ),
        record(`${Q}BodyMass`, '73', 'kg', { ...at(4), ...onWatch }),
        around(
          record(`${Q}BodyMass`, '74', 'kg', { ...at(5), sourceName: 'My iPhone' }),
          `<x>${typedIn}</x>${typedIn}`,
        ),
      ].join('\n'),
    ),
  )
  expect(read.samples.map(each => [each.value, each.sourceType]).sort()).toEqual([
    [70, 'app'],
    [71, 'watch'],
    [72, 'watch'],
    [73, 'watch'],
    [74, 'app'],
  ])
})

test('stores a manually entered workout, night and blood pressure under app too', async () => {
  const watch = device('0x1')
  const read = await importBytes(
    exportXml(
      [
        `<Workout workoutActivityType="HKWorkoutActivityTypeYoga" device="${watch}" startDate="2026-01-01 08:00:00 +0000" endDate="2026-01-01 09:00:00 +0000">${typedIn}</Workout>`,
        around(
          record('HKCategoryTypeIdentifierSleepAnalysis', 'HKCategoryValueSleepAnalysisInBed', undefined, {
            device: watch,
          }),
          typedIn,
        ),
        around(record(`${Q}BloodPressureSystolic`, '120', 'mmHg', { device: watch }), typedIn),
        around(record(`${Q}BloodPressureDiastolic`, '80', 'mmHg', { device: watch }), typedIn),
      ].join('\n'),
    ),
  )
  expect(read.summaries.map(each => [each.kind, each.sourceType])).toEqual([
    ['workouts', 'app'],
    ['sleep', 'app'],
    ['sleep_cycle', 'app'],
  ])
  expect(read.samples).toMatchObject([{ resource: 'blood_pressure', sourceType: 'app', value: 120, second: 80 }])
})

test('reports the positions of the first three records for each reason, in the unpacked XML', async () => {
  const bad = (i: number): string => record(`${Q}StepCount`, 'x', 'count', at(i))
  const children = [bad(0), record(`${Q}StepCount`, '1', 'count', at(1)), bad(2), '<Audiogram/>', bad(3), bad(4)]
  const xml = exportXml(children.map(each => `  ${each}`).join('\r\n<!-- ü -->'))
  const bytes = Buffer.from(xml)
  const position = (text: string, nth: number): string => {
    let from = -1
    for (let i = 0; i <= nth; i++) from = bytes.indexOf(text, from + 1)
    return `byte ${from}`
  }
  for (const content of [xml, buildZip([{ name: 'x/export.xml', content: xml }])]) {
    const read = await importBytes(content)
    expect(read.places).toEqual({
      [`${Q}StepCount has a value that is not a finite number`]: [
        position('<Record', 0),
        position('<Record', 2),
        position('<Record', 3),
      ],
      'Audiogram elements are not imported': [position('<Audiogram', 0)],
    })
    expect(read.skipped[`${Q}StepCount has a value that is not a finite number`]).toBe(4)
  }
})

test('reports the positions of skipped sleep, blood pressure, workouts and days', async () => {
  const workout = '<Workout startDate="x" endDate="x"/>'
  const day = '<ActivitySummary dateComponents="1969-01-01"/>'
  const alone = record(`${Q}BloodPressureSystolic`, '120', 'mmHg')
  const asleep = record('HKCategoryTypeIdentifierSleepAnalysis', 'HKCategoryValueSleepAnalysisDreaming', undefined)
  const xml = exportXml([workout, day, alone, asleep].join('\n'))
  const read = await importBytes(xml)
  expect(Object.values(read.places).sort()).toEqual(
    [workout, day, alone, asleep].map(each => [`byte ${Buffer.from(xml).indexOf(each)}`]).sort(),
  )
  expect(accounted(read)).toBe(4)
})

test('stores everything under the provider and source type that the caller chooses', async () => {
  const wished = { provider: 'health_connect', sourceType: 'scale' }
  const read = await importBytes(
    exportXml(
      `${around(record(`${Q}BodyMass`, '70', 'kg'), typedIn)}<ActivitySummary dateComponents="2026-01-01"/>` +
        record('HKCategoryTypeIdentifierSleepAnalysis', 'HKCategoryValueSleepAnalysisInBed', undefined),
    ),
    wished,
  )
  expect(read.samples).toMatchObject([{ sourceType: 'scale' }])
  expect(read.summaries.map(each => [each.provider, each.sourceType])).toEqual(
    Array.from({ length: 3 }, () => ['health_connect', 'scale']),
  )
})

test('reads attributes in any order, in apostrophes, and across line breaks', async () => {
  const read = await importBytes(
    exportXml(
      `<Record value = '42'\n\tunit='count' endDate="2026-01-01 08:05:00 +0100"\r\n startDate='2026-01-01 08:00:00 +0100' sourceName='It&apos;s "mine" > yours' type="${Q}StepCount" ></Record>`,
    ),
  )
  expect(read.samples).toMatchObject([{ value: 42, sourceType: 'app' }])
})
