/** Sleep segments of an export are combined into sessions and their summaries. */
import { expect, test } from 'vitest'
import { accounted, exportXml, importBytes, record } from '../exports.ts'

const V = 'HKCategoryValueSleepAnalysis'
const segment = (stage: string, from: string, to: string, more: Readonly<Record<string, string>> = {}): string =>
  record('HKCategoryTypeIdentifierSleepAnalysis', stage.startsWith('HK') ? stage : V + stage, undefined, {
    startDate: `2026-01-${from}:00 +0100`,
    endDate: `2026-01-${to}:00 +0100`,
    sourceName: 'Apple Watch',
    ...more,
  })
const sleeps = async (...segments: string[]) => {
  const read = await importBytes(exportXml(segments.join('\n')))
  expect(accounted(read)).toBe(read.records)
  const documents = (kind: string) => read.summaries.filter(each => each.kind === kind).map(each => each.document)
  return { ...read, sleep: documents('sleep'), cycles: documents('sleep_cycle') }
}

test('makes one night from a watch’s stages, in any order in the file', async () => {
  const read = await sleeps(
    segment('AsleepREM', '02 02:00', '02 03:00'),
    segment('AsleepCore', '01 23:15', '02 00:30'),
    segment('AsleepDeep', '02 00:30', '02 02:00'),
    segment('Awake', '01 23:00', '01 23:15'),
    segment('Awake', '02 03:00', '02 03:30'),
    segment('AsleepCore', '02 03:30', '02 06:00'),
  )
  expect(read.summaries).toMatchObject([
    { kind: 'sleep', sourceType: 'watch', at: Date.UTC(2026, 0, 2, 5), date: '2026-01-02', offset: 3600 },
    { kind: 'sleep_cycle' },
  ])
  expect(read.sleep[0]).toMatchObject({
    calendar_date: '2026-01-02',
    bedtime_start: '2026-01-01T22:00:00+00:00',
    bedtime_stop: '2026-01-02T05:00:00+00:00',
    type: 'long_sleep',
    timezone_offset: 3600,
    duration: 7 * 3600,
    total: 6.25 * 3600,
    awake: 45 * 60,
    light: 3.75 * 3600,
    rem: 3600,
    deep: 1.5 * 3600,
    efficiency: 89.29,
    latency: 900,
    state: 'confirmed',
  })
  expect(read.cycles[0]).toMatchObject({
    sleep_id: read.summaries[0]?.id,
    session_start: '2026-01-01T22:00:00+00:00',
    stage_start_offset_second: [0, 900, 5400, 10_800, 14_400, 16_200],
    stage_end_offset_second: [900, 5400, 10_800, 14_400, 16_200, 25_200],
    stage_type: [4, 2, 1, 3, 4, 2],
    source_provider: 'apple_health_kit',
    source_type: 'watch',
  })
})

test('starts a new session after more than an hour without a segment', async () => {
  const read = await sleeps(
    segment('AsleepCore', '02 01:00', '02 02:00'),
    segment('AsleepCore', '02 03:00', '02 05:00'),
    segment('AsleepCore', '02 06:01', '02 07:00'),
  )
  expect(read.sleep.map(each => [each['duration'], each['type']])).toEqual([
    [4 * 3600, 'long_sleep'],
    [59 * 60, 'short_sleep'],
  ])
})

test('keeps sessions of different sources separate', async () => {
  const phone = { sourceName: 'iPhone' }
  const read = await sleeps(
    segment('InBed', '01 22:00', '02 06:00', phone),
    segment('AsleepCore', '01 23:00', '02 05:00'),
  )
  expect(
    read.summaries
      .filter(each => each.kind === 'sleep')
      .map(each => each.sourceType)
      .sort(),
  ).toEqual(['phone', 'watch'])
  const inBed = read.sleep.find(each => each['duration'] === 8 * 3600)
  expect(inBed).toMatchObject({ total: 0 })
  expect(inBed).not.toHaveProperty('efficiency')
  expect(inBed).not.toHaveProperty('latency')
})

test('prefers known stages to time that is only marked as asleep, and counts no second twice', async () => {
  const read = await sleeps(
    segment('InBed', '01 22:30', '02 06:00'),
    segment('AsleepUnspecified', '01 23:00', '02 06:00'),
    segment('AsleepDeep', '02 01:00', '02 02:00'),
    segment('AsleepDeep', '02 01:30', '02 02:30'),
  )
  expect(read.sleep[0]).toMatchObject({ total: 7 * 3600, deep: 1.5 * 3600, light: 0, latency: 1800, efficiency: 93.33 })
  expect(read.cycles[0]).toMatchObject({
    stage_start_offset_second: [1800, 9000, 14_400],
    stage_end_offset_second: [9000, 14_400, 27_000],
    stage_type: [-1, 1, -1],
  })
})

test('reads the categories of early exports', async () => {
  const read = await sleeps(segment('Asleep', '01 23:00', '02 05:00'), segment('InBed', '01 22:00', '02 06:00'))
  expect(read.sleep[0]).toMatchObject({ total: 6 * 3600, efficiency: 75, latency: 3600 })
})

test('keeps the longer of two sessions of one source type that start at the same time', async () => {
  const app = (name: string) => ({ sourceName: name })
  const read = await sleeps(
    segment('AsleepCore', '01 23:00', '02 05:00', app('One')),
    segment('AsleepCore', '01 23:00', '02 06:00', app('Two')),
    segment('AsleepCore', '01 23:00', '02 04:00', app('Three')),
  )
  expect(read.sleep.map(each => each['duration'])).toEqual([7 * 3600])
  expect(read.skipped).toEqual({
    'sleep sessions that start at the same time as a longer one of the same source type': 2,
  })
})

test('skips segments with an unknown category, without a duration, or longer than a day', async () => {
  const read = await sleeps(
    segment('Dreaming', '01 23:00', '02 05:00'),
    segment('AsleepREM', '01 23:00', '01 23:00'),
    segment('InBed', '01 23:00', '03 05:00'),
  )
  expect(read.summaries).toEqual([])
  expect(Object.values(read.skipped)).toEqual([1, 1, 1])
})
