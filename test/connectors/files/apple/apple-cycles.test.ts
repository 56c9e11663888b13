/** The records of an export about reproductive health become menstrual cycles. */
import { expect, test } from 'vitest'
import { accounted, exportXml, importBytes, record } from '../exports.ts'

const C = 'HKCategoryTypeIdentifier'
const V = 'HKCategoryValue'
const NONE = 'HKCategoryValueNotApplicable'
const JOINED = 'records joined into the menstrual cycles that are stored'
const OUTSIDE = 'records outside the menstrual cycles that begin in the file'

/** Returns a record of one day, or of the days until another one. */
const entry = (type: string, value: string, day: string, metadata: Readonly<Record<string, string>> = {}): string => {
  const [first = day, last = first] = day.split('..')
  const times = { startDate: `2025-${first} 12:00:00 +0100`, endDate: `2025-${last} 12:00:00 +0100` }
  const open = record(
    C + type,
    value.startsWith('HK') || /^\d/.test(value) ? value : `${V}${type}${value}`,
    undefined,
    times,
  )
  const inside = Object.entries(metadata).map(([key, text]) => `<MetadataEntry key="${key}" value="${text}"/>`)
  return open.replace('/>', `>${inside.join('')}</Record>`)
}
const flow = (value: string, day: string, isStart = false): string =>
  entry('MenstrualFlow', value, day, { HKWasUserEntered: '1', HKMenstrualCycleStart: isStart ? '1' : '0' })
/** Imports records from an export of 1 January 2026. */
const cycles = async (...children: string[]) => {
  const read = await importBytes(exportXml(children.join('\n')))
  expect(accounted(read)).toBe(read.records)
  return { ...read, cycles: read.summaries.map(each => each.document) }
}

test('makes cycles of the days that a person recorded', async () => {
  const read = await cycles(
    flow('Light', '03-30', true),
    entry('IntermenstrualBleeding', NONE, '03-12'),
    flow('Medium', '03-01', true),
    flow('Heavy', '03-02'),
    flow(`${V}VaginalBleedingUnspecified`, '03-03'),
    flow('None', '03-04'),
    entry('CervicalMucusQuality', 'EggWhite', '03-13'),
    entry('OvulationTestResult', 'LuteinizingHormoneSurge', '03-14'),
    entry('SexualActivity', NONE, '03-14', { HKSexualActivityProtectionUsed: '1' }),
    entry('SexualActivity', NONE, '03-15', { HKSexualActivityProtectionUsed: '0' }),
    entry('SexualActivity', NONE, '03-16'),
    entry('PregnancyTestResult', 'Negative', '03-28'),
    entry('ProgesteroneTestResult', 'Positive', '03-21'),
    entry('IrregularMenstrualCycles', NONE, '01-01..03-20'),
  )
  expect(read.summaries[0]).toMatchObject({
    kind: 'menstrual_cycle',
    provider: 'apple_health_kit',
    sourceType: 'multiple_sources',
    date: '2025-03-01',
  })
  expect(read.cycles).toEqual([
    {
      period_start: '2025-03-01',
      period_end: '2025-03-03',
      cycle_end: '2025-03-29',
      is_predicted: false,
      menstrual_flow: [
        { date: '2025-03-01', flow: 'medium' },
        { date: '2025-03-02', flow: 'heavy' },
        { date: '2025-03-03', flow: 'unspecified' },
        { date: '2025-03-04', flow: 'none' },
      ],
      cervical_mucus: [{ date: '2025-03-13', quality: 'egg_white' }],
      intermenstrual_bleeding: [{ date: '2025-03-12' }],
      contraceptive: [],
      detected_deviations: [{ date: '2025-03-20', deviation: 'irregular_menstrual_cycles' }],
      ovulation_test: [{ date: '2025-03-14', test_result: 'luteinizing_hormone_surge' }],
      home_pregnancy_test: [{ date: '2025-03-28', test_result: 'negative' }],
      home_progesterone_test: [{ date: '2025-03-21', test_result: 'positive' }],
      sexual_activity: [
        { date: '2025-03-14', protection_used: true },
        { date: '2025-03-15', protection_used: false },
        { date: '2025-03-16', protection_used: null },
      ],
      basal_body_temperature: [],
      source_provider: 'apple_health_kit',
      source_type: 'multiple_sources',
    },
    expect.objectContaining({ period_start: '2025-03-30', period_end: '2025-03-30' }),
  ])
  // no period begins within 60 days, so the end of the second cycle is unknown
  expect(read.cycles[1]).not.toHaveProperty('cycle_end')
  expect(read.skipped).toEqual({ [JOINED]: 12 })
})

test('leaves the end open while the export does not show that the period is over', async () => {
  const last = (day: string) => cycles(flow('Medium', '12-30', true), flow('Light', day))
  expect((await last('12-31')).cycles[0]).not.toHaveProperty('period_end')
  const over = await importBytes(exportXml(flow('Medium', '12-30', true)))
  expect(over.summaries[0]?.document).toMatchObject({ period_end: '2025-12-30' })
})

test('begins one cycle if two apps say that it began on different days of the same period', async () => {
  const read = await cycles(flow('Light', '03-01', true), flow('Heavy', '03-02', true), flow('Light', '03-03'))
  expect(read.cycles).toMatchObject([{ period_start: '2025-03-01', period_end: '2025-03-03' }])
})

test('keeps the last record of a kind on each day', async () => {
  const early = { startDate: '2025-03-01 08:00:00 +0100', endDate: '2025-03-01 08:00:00 +0100' }
  const read = await cycles(
    flow('Heavy', '03-01', true),
    record(`${C}MenstrualFlow`, `${V}MenstrualFlowLight`, undefined, early),
  )
  expect(read.cycles).toMatchObject([{ menstrual_flow: [{ date: '2025-03-01', flow: 'heavy' }] }])
  expect(read.skipped).toEqual({ 'records of a menstrual cycle before the last one of their kind on a day': 1 })
})

test('adds basal body temperatures, which are also samples', async () => {
  const times = { startDate: '2025-03-02 06:30:00 +0100', endDate: '2025-03-02 06:30:00 +0100' }
  const read = await cycles(
    flow('Medium', '03-01', true),
    record('HKQuantityTypeIdentifierBasalBodyTemperature', '97.7', 'degF', times),
  )
  expect(read.samples).toMatchObject([{ resource: 'basal_body_temperature', value: 36.5 }])
  expect(read.cycles).toMatchObject([{ basal_body_temperature: [{ date: '2025-03-02', value: 36.5 }] }])
})

test('lists a contraceptive on each of its days up to the export', async () => {
  const read = await cycles(
    flow('Medium', '12-29', true),
    entry('Contraceptive', 'IntrauterineDevice', '12-30..12-30').replace(
      '2025-12-30 12:00:00 +0100" value',
      '2999-01-01 12:00:00 +0100" value',
    ),
    entry('Contraceptive', 'Oral', '01-01..01-03'),
  )
  expect(read.cycles[0]?.['contraceptive']).toEqual([
    { date: '2025-12-30', type: 'iud' },
    { date: '2025-12-31', type: 'iud' },
    { date: '2026-01-01', type: 'iud' },
  ])
  expect(read.skipped).toEqual({ 'contraceptives, which are stored on each day of a menstrual cycle': 2 })
})

test('reads the numbers of early exports, and the date in the record’s own offset', async () => {
  const late = { startDate: '2025-03-01 23:30:00 -0800', endDate: '2025-03-01 23:30:00 -0800' }
  const start = '<MetadataEntry key="HKMenstrualCycleStart" value="1"/>'
  const read = await cycles(record(`${C}MenstrualFlow`, '4', undefined, late).replace('/>', `>${start}</Record>`))
  expect(read.cycles).toMatchObject([{ menstrual_flow: [{ date: '2025-03-01', flow: 'heavy' }] }])
})

test('skips records outside a cycle whose beginning the file contains, and unknown categories', async () => {
  const read = await cycles(
    flow('Medium', '03-01'),
    flow('Flood', '03-02', true),
    entry('SexualActivity', NONE, '03-03'),
    entry('Pregnancy', NONE, '04-01..12-01'),
  )
  expect(read.summaries).toEqual([])
  expect(read.skipped).toEqual({
    [OUTSIDE]: 2,
    'HKCategoryTypeIdentifierMenstrualFlow has an unknown category': 1,
    'HKCategoryTypeIdentifierPregnancy is not imported': 1,
  })
})

test('yields the same cycles when imported again, in any order', async () => {
  const records = [flow('Medium', '03-01', true), flow('Light', '03-02'), flow('Medium', '03-29', true)]
  const [first, second] = [await cycles(...records), await cycles(...records.toReversed())]
  expect(second.summaries).toEqual(first.summaries)
})
