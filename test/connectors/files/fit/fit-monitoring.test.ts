/** FIT files that are not activities: the counters of a watch over the day, and single readings. */
import { expect, test } from 'vitest'
import { fit } from '../../../../src/connectors/files/fit/fit.ts'
import { importBytes, listValues } from '../activity-import.ts'
import { ENUM, type FieldSpec, FitFile, fitTime, S16, U8, U16, U32 } from './fit-file.ts'

const MONITORING = 55
const WALKING = 6
const RUNNING = 1
const T0 = fitTime('2025-06-01T08:00:00Z')
const MS0 = Date.parse('2025-06-01T08:00:00Z')
const COUNTS: readonly FieldSpec[] = [
  [253, U32],
  [5, ENUM],
  [3, U32],
]

/** Returns a monitoring file of a watch two hours east of UTC. */
function monitoring(): FitFile {
  return new FitFile()
    .fileId(32)
    .message(103, [[253, U32], [0, U32]], [T0, T0 + 7200]) // biome-ignore format: a row a message
}

test('derives steps from the differences of a counter of double steps', async () => {
  const file = monitoring().message(MONITORING, COUNTS, [T0, WALKING, 1200], [T0 + 60, WALKING, 1300], [T0 + 120, WALKING, 1300], [T0 + 300, WALKING, 1354]) // biome-ignore format: a row a message
  const read = await importBytes(fit, file.bytes())
  expect(listValues(read, 'steps', MS0)).toEqual([
    [0, 60, 100],
    [60, 120, 0],
    [120, 300, 54],
  ])
  expect(read.samples[0]).toMatchObject({ provider: 'garmin', sourceType: 'watch', offset: 7200, text: {} })
  expect(read.records).toBe(4)
  expect(read.skipped).toEqual({ 'a monitoring message only sets the starting point of a counter': 1 })
})

test('keeps a counter for each activity type, and joins counts that start at the same time', async () => {
  const file = monitoring().message(
    MONITORING,
    COUNTS,
    [T0, WALKING, 100],
    [T0, RUNNING, 1000],
    [T0 + 60, WALKING, 150],
    [T0 + 60, RUNNING, 1100],
    [T0 + 120, RUNNING, 1120],
    // pedal strokes are not steps
    [T0 + 120, 2, 5000],
  )
  const read = await importBytes(fit, file.bytes())
  expect(listValues(read, 'steps', MS0)).toEqual([
    [0, 60, 150],
    [60, 120, 20],
  ])
  expect(read.skipped).toMatchObject({ 'a monitoring message contains nothing that is imported': 1 })
})

test('restarts counting at local midnight and when a counter drops', async () => {
  // midnight on the watch is 22:00 UTC
  const evening = fitTime('2025-06-01T21:50:00Z')
  const midnight = fitTime('2025-06-01T22:00:00Z')
  const file = monitoring().message(
    MONITORING,
    COUNTS,
    [T0, WALKING, 0],
    [evening, WALKING, 50],
    [midnight, WALKING, 60],
    [midnight + 600, WALKING, 90],
    [midnight + 700, WALKING, 40],
  )
  const read = await importBytes(fit, file.bytes())
  const from = MS0 + (evening - T0) * 1000
  expect(listValues(read, 'steps', from).slice(1)).toEqual([
    [0, 600, 10],
    [600, 1200, 90],
    [1200, 1300, 40],
  ])
})

test('counts the first value from midnight if the file starts there', async () => {
  const midnight = fitTime('2025-06-01T22:00:00Z')
  const file = new FitFile()
    .fileId(32)
    .message(103, [[253, U32], [0, U32]], [midnight, midnight + 7200]) // biome-ignore format: a row a message
    .message(MONITORING, COUNTS, [midnight + 900, WALKING, 30], [midnight + 1800, WALKING, 50])
  const read = await importBytes(fit, file.bytes())
  expect(listValues(read, 'steps', Date.parse('2025-06-01T22:00:00Z'))).toEqual([
    [0, 900, 30],
    [900, 1800, 20],
  ])
})

test('extends 16-bit times from the last full time, across a wrap and slightly backwards', async () => {
  // the low 16 bits of this time are 65,500
  const base = T0 - (T0 % 65_536) + 65_500
  const file = monitoring()
    .message(MONITORING, [[253, U32], [27, U8]], [base, 60]) // biome-ignore format: a row a message
    .message(MONITORING, [[26, U16], [27, U8]], [65_530, 61], [24, 62], [65_530, 63], [90, 64], [91, 0]) // biome-ignore format: a row a message
  const read = await importBytes(fit, file.bytes())
  const from = MS0 + (base - T0) * 1000
  expect(listValues(read, 'heartrate', from)).toEqual([
    [0, 0, 60],
    [30, 30, 61],
    [60, 60, 62],
    [30, 30, 63],
    [126, 126, 64],
  ])
  expect(read.skipped).toEqual({ 'a monitoring message contains nothing that is imported': 1 })
})

test('counts distance and energy in the same way, and short counters across a wrap', async () => {
  const fields: FieldSpec[] = [[26, U16], [24, U8], [9, U16], [2, U32], [19, U16]] // biome-ignore format: a list of numbers
  const low = T0 % 65_536
  const file = monitoring().message(MONITORING, fields, [low, WALKING, 65_500, 1000, 5], [low + 60, WALKING, 14, 9950, 12]) // biome-ignore format: a row a message
  const read = await importBytes(fit, file.bytes())
  expect(listValues(read, 'steps', MS0)).toEqual([[0, 60, 50]])
  expect(listValues(read, 'distance', MS0)).toEqual([[0, 60, 89.5]])
  expect(listValues(read, 'calories_active', MS0)).toEqual([[0, 60, 7]])
})

test('reads stress, blood oxygen, respiration, heart rate variability, weight and blood pressure', async () => {
  const time: FieldSpec = [253, U32]
  const file = monitoring()
    .message(227, [[0, S16], [1, U32]], [35, T0], [-2, T0 + 180], [101, T0 + 360]) // biome-ignore format: a row a message
    .message(269, [time, [0, U8]], [T0, 96]) // biome-ignore format: a row a message
    .message(297, [time, [0, S16]], [T0, 1425], [T0 + 60, -100]) // biome-ignore format: a row a message
    .message(371, [time, [0, U16]], [T0, 6400]) // biome-ignore format: a row a message
    .message(370, [time, [0, U16], [1, U16], [2, U16]], [T0, 5000, 5760, 9000], [T0 + 1, 5000, 0xffff, 9000]) // biome-ignore format: a row a message
    .message(30, [time, [0, U16], [1, U16]], [T0, 7025, 2150], [T0 + 5, 0xfffe, 0xffff]) // biome-ignore format: a row a message
    .message(51, [time, [0, U16], [1, U16], [6, U8]], [T0, 121, 79, 61]) // biome-ignore format: a row a message
  const read = await importBytes(fit, file.bytes())
  expect(read.samples.map(each => [each.resource, each.value, each.second])).toEqual([
    ['stress_level', 35, undefined],
    ['blood_oxygen', 96, undefined],
    ['respiratory_rate', 14.25, undefined],
    ['hrv', 50, undefined],
    ['hrv', 45, undefined],
    ['body_weight', 70.25, undefined],
    ['body_fat', 21.5, undefined],
    ['blood_pressure', 121, 79],
    ['heartrate', 61, undefined],
  ])
  // the mean of a night is another kind of value than that of a few minutes
  expect(read.samples.filter(each => each.resource === 'hrv').map(each => each.text)).toEqual([{}, { type: 'night' }])
  expect(read.records).toBe(12)
  expect(read.skipped).toEqual({
    'a heart rate variability status says that nothing could be measured': 1,
    'a stress level says that nothing could be measured': 2,
    'a respiration rate says that nothing could be measured': 1,
    'a weighing says that nothing could be measured': 1,
  })
})

test('counts data without a matching resource as skipped', async () => {
  const file = monitoring().message(78, [[0, U16]], [800], [810]).message(211, [[253, U32], [0, U8]], [T0, 51]) // biome-ignore format: a row a message
  const read = await importBytes(fit, file.bytes())
  expect(read).toMatchObject({ records: 3, samples: [] })
  expect(read.skipped).toEqual({
    'intervals between heartbeats are not imported': 2,
    'resting heart rates are not imported': 1,
  })
})
