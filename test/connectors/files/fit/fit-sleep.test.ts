/** The nights in the FIT files of watches. */
import { expect, test } from 'vitest'
import { fit } from '../../../../src/connectors/files/fit/fit.ts'
import { importBytes, type ReadActivities } from '../activity-import.ts'
import { FitFile, fitTime } from './fit-file.ts'
import {
  AWAKE,
  BEDTIME,
  DEEP,
  events,
  HOUR,
  LIGHT,
  levels,
  night,
  REM,
  score,
  sleepFile,
  UNMEASURABLE,
} from './fit-night.ts'

const JOINED = 'sleep levels joined into the sleep that is stored'
const ASSESSMENT = 'sleep assessments, of which the score is part of the sleep if a file has one night'

const read = async (file: FitFile, timeZone: string | null = null): Promise<ReadActivities> => {
  const result = await importBytes(fit, file.bytes(), { timeZone })
  const kept = result.summaries.filter(each => each.kind !== 'sleep_cycle').length + result.samples.length
  expect(kept + Object.values(result.skipped).reduce((sum, each) => sum + each, 0)).toBe(result.records)
  return result
}
const documents = ({ summaries }: ReadActivities, kind: string) =>
  summaries.filter(each => each.kind === kind).map(each => each.document)

test('makes a night of levels that are written at their end', async () => {
  const result = await read(score(night(), 83))
  expect(result.summaries).toMatchObject([
    { kind: 'sleep', provider: 'garmin', sourceType: 'watch', date: '2025-06-02', offset: 7200 },
    { kind: 'sleep_cycle' },
  ])
  expect(documents(result, 'sleep')[0]).toMatchObject({
    bedtime_start: '2025-06-01T21:00:00+00:00',
    bedtime_stop: '2025-06-02T05:00:00+00:00',
    type: 'long_sleep',
    duration: 8 * HOUR,
    awake: 600,
    light: 6 * HOUR - 600,
    deep: HOUR,
    rem: HOUR,
    total: 8 * HOUR - 600,
    latency: 600,
    score: 83,
  })
  expect(documents(result, 'sleep_cycle')[0]).toMatchObject({
    sleep_id: result.summaries[0]?.id,
    stage_start_offset_second: [0, 600, 3 * HOUR, 4 * HOUR, 5 * HOUR],
    stage_end_offset_second: [600, 3 * HOUR, 4 * HOUR, 5 * HOUR, 8 * HOUR],
    stage_type: [4, 2, 1, 3, 2],
  })
  expect(result.skipped).toEqual({ [JOINED]: 4, [ASSESSMENT]: 1 })
})

test('makes the same night of levels that are written at their start', async () => {
  const file = levels(
    events(sleepFile(), [BEDTIME, 0], [BEDTIME + 8 * HOUR, 1]),
    [BEDTIME, AWAKE],
    [BEDTIME + 600, LIGHT],
    [BEDTIME + 3 * HOUR, DEEP],
    [BEDTIME + 4 * HOUR, REM],
    [BEDTIME + 5 * HOUR, LIGHT],
  )
  expect((await read(file)).summaries).toEqual((await read(night())).summaries)
})

test('does not guess whether the time of a level is its start or its end', async () => {
  const file = levels(events(sleepFile(), [BEDTIME, 0], [BEDTIME + 8 * HOUR, 1]), [BEDTIME + HOUR, LIGHT], [BEDTIME + 5 * HOUR, REM]) // biome-ignore format: a row a message
  const result = await read(file)
  expect(result.summaries).toEqual([])
  expect(result.skipped).toEqual({
    'sleep levels of which the file does not show whether their time is their start or their end': 2,
  })
})

test('leaves time open that the watch could not measure', async () => {
  const file = levels(events(sleepFile(), [BEDTIME, 0], [BEDTIME + 4 * HOUR, 1]), [BEDTIME + 2 * HOUR, LIGHT], [BEDTIME + 3 * HOUR, UNMEASURABLE], [BEDTIME + 4 * HOUR, DEEP]) // biome-ignore format: a row a message
  const result = await read(file)
  expect(documents(result, 'sleep')).toMatchObject([{ duration: 4 * HOUR, total: 3 * HOUR, awake: 0 }])
  expect(documents(result, 'sleep_cycle')).toMatchObject([
    { stage_start_offset_second: [0, 3 * HOUR], stage_end_offset_second: [2 * HOUR, 4 * HOUR], stage_type: [2, 1] },
  ])
})

test('stores no night without sleep, as in a file whose stages the phone has yet to compute', async () => {
  const file = levels(events(sleepFile(), [BEDTIME, 0], [BEDTIME + HOUR, 1]), [BEDTIME + 60, UNMEASURABLE], [BEDTIME + HOUR, AWAKE]) // biome-ignore format: a row a message
  const result = await read(score(file, 50))
  expect(result.summaries).toEqual([])
  expect(result.skipped).toEqual({
    'sleep levels of a time without any sleep': 2,
    [ASSESSMENT]: 1,
  })
})

test('skips levels without the events around them, without a time, and of an unknown kind', async () => {
  const file = levels(sleepFile(), [BEDTIME, LIGHT], [BEDTIME + HOUR, DEEP], [BEDTIME, 9], [0xffffffff, LIGHT])
  expect((await read(file)).skipped).toEqual({
    'sleep levels outside the events at which sleep starts and ends': 2,
    'a sleep level has an unknown level': 1,
    'a sleep level has no time': 1,
  })
})

test('makes a session of each pair of events, and gives no score to one of several', async () => {
  const file = score(night(night(), BEDTIME + 24 * HOUR), 83)
  const result = await read(file)
  expect(documents(result, 'sleep').map(each => [each['calendar_date'], each['score']])).toEqual([
    ['2025-06-02', undefined],
    ['2025-06-03', undefined],
  ])
})

test('uses the user’s time zone for the date if the file has no local time', async () => {
  const file = (at: number) => night(new FitFile().fileId(49), at)
  const late = fitTime('2025-06-01T02:00:00Z')
  expect((await read(file(late), 'Pacific/Honolulu')).summaries[0]).toMatchObject({ date: '2025-06-01', offset: null })
  expect((await read(file(late), 'Pacific/Kiritimati')).summaries[0]).toMatchObject({ date: '2025-06-02' })
})

test('yields the same night when imported again, and keeps it if the file is damaged after it', async () => {
  const bytes = night().bytes()
  const first = await importBytes(fit, bytes)
  expect(await importBytes(fit, bytes)).toEqual(first)
  const damaged = await importBytes(fit, night().bytes({ crc: 1 }))
  expect(damaged.error).toMatchObject({ code: 'invalid_file' })
  expect(damaged.summaries).toEqual(first.summaries)
})
