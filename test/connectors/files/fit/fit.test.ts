/** FIT activities: how records, sessions and lengths are converted, and the traps of the format. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fit } from '../../../../src/connectors/files/fit/fit.ts'
import { ServiceError } from '../../../../src/core/errors.ts'
import { importBytes, importFile, listColumn, listValues, SAMPLES } from '../activity-import.ts'
import { BYTES, ENUM, F32, FitFile, fitTime, S32, TEXT, U8, U16, U32 } from './fit-file.ts'

const GARMIN = join(SAMPLES, 'garmin-fit')
const T0 = fitTime('2025-06-01T08:00:00Z')
const MS0 = Date.parse('2025-06-01T08:00:00Z')
const RECORD = 20
const SESSION = 18
const ACTIVITY = 34

/** Reads the rows of the CSV that belongs to a sample; `null` is null. */
async function truth(name: string): Promise<(string | null)[][]> {
  const [, ...lines] = (await readFile(join(GARMIN, name), 'utf8')).trim().split(/\r?\n/)
  return lines.map(line => line.split(',').map(cell => (cell === 'null' || cell === '' ? null : cell)))
}
const number = (cell: string | null | undefined): number | null => (cell === null ? null : Number(cell))

/** Returns the first rows in which two long lists differ: a full comparison would take seconds. */
function differences(found: ArrayLike<unknown> | undefined, wanted: ArrayLike<unknown>): unknown[] {
  if (found?.length !== wanted.length) return [['length', found?.length, wanted.length]]
  const rows = Array.from(wanted, (each, i) => [i, found[i], each])
  return rows.filter(([, a, b]) => a !== b).slice(0, 5)
}

/** Returns an activity of a few records with a heart rate each. */
function activity(...rates: readonly number[]): FitFile {
  const rows = rates.map((rate, i) => [T0 + i, rate])
  return new FitFile().fileId(4).message(RECORD, [[253, U32], [3, U8]], ...rows) // biome-ignore format: a row a message
}

test('reads a published activity row by row with the same values as its CSV', async () => {
  const read = await importFile(fit, join(GARMIN, 'garmin-edge-500-activity.fit'))
  expect(read).toMatchObject({ records: 10_686, skipped: {}, error: undefined })
  const rows = await truth('garmin-edge-500-activity-records.csv')
  expect(rows).toHaveLength(10_686)
  const [stream] = read.streams
  expect(stream?.n).toBe(10_686)
  const times = rows.map(row => Date.parse((row[0] as string).replace('PDT', 'GMT-0700')))
  expect(differences(Array.from(stream?.time ?? []), times)).toEqual([])
  const column = (i: number): (number | null)[] => rows.map(row => number(row[i]))
  expect(differences(listColumn(stream, 'heartrate'), column(1))).toEqual([])
  // the CSV shows 0 where the file has no cadence
  expect(
    differences(
      listColumn(stream, 'cadence')?.map(each => each ?? 0),
      column(2),
    ),
  ).toEqual([])
  expect(differences(listColumn(stream, 'velocity_smooth'), column(3))).toEqual([])
  expect(differences(listColumn(stream, 'distance'), column(4))).toEqual([])
  expect(differences(listColumn(stream, 'altitude'), column(7))).toEqual([])
  expect(differences(listColumn(stream, 'temperature'), column(8))).toEqual([])
  const degrees = (i: number): (number | null)[] =>
    column(i).map(each => (each === null ? null : Math.round((each / 2 ** 31) * 180 * 1e7) / 1e7))
  // and repeats the previous position where the file has none
  const placed = (list: readonly (number | null)[] = []): (number | null)[] => {
    let last: number | null = null
    return list.map(each => {
      last = each ?? last
      return last
    })
  }
  expect(differences(placed(listColumn(stream, 'lat')), degrees(5))).toEqual([])
  expect(differences(placed(listColumn(stream, 'lng')), degrees(6))).toEqual([])
  expect(
    differences(
      listValues(read, 'heartrate').map(each => each[2]),
      column(1),
    ),
  ).toEqual([])
  const covered = listValues(read, 'workout_distance').reduce((sum, each) => sum + (each[2] as number), 0)
  expect(covered).toBeCloseTo(92_622.34, 2)
  expect(read.summaries).toMatchObject([
    {
      kind: 'workouts',
      provider: 'garmin',
      document: {
        time_start: '2011-09-25T13:00:21+00:00',
        sport: { name: 'Cycling', slug: 'cycling' },
        average_hr: 162,
        max_hr: 189,
        distance: 92_622.34,
        calories: 1954,
        moving_time: 10_641,
        average_speed: 8.704,
      },
    },
  ])
})

test('reads compressed timestamps and packed distances of a published file like its CSV (skipped without samples)', async () => {
  const read = await importFile(fit, join(GARMIN, 'compressed-speed-distance.fit'))
  expect(read).toMatchObject({ records: 754, skipped: {}, error: undefined })
  const rows = await truth('compressed-speed-distance-records.csv')
  const [stream] = read.streams
  const column = (i: number): (number | null)[] => rows.map(row => number(row[i]))
  expect(listColumn(stream, 'heartrate')).toEqual(column(1))
  expect(listColumn(stream, 'velocity_smooth')).toEqual(column(2))
  expect(listColumn(stream, 'distance')).toEqual(column(3))
  // a run: two steps per stride
  expect(listColumn(stream, 'cadence')).toEqual(column(4).map(each => (each === null ? null : each * 2)))
  // the clock of this watch was never set: its times count seconds, and only the end of the file gives the local time
  const seconds = column(0) as number[]
  const since = Array.from(stream?.time ?? [], each => (each - (stream?.time[0] as number)) / 1000)
  expect(since).toEqual(seconds.map(each => each - (seconds[0] as number)))
  expect(read.summaries[0]?.date).toBe('2012-02-13')
  expect(listValues(read, 'heartrate')).toHaveLength(754)
})

test.each([
  ['activity-filecrc.fit', /checksum is wrong/],
  ['activity-unexpected-eof.fit', /cut short/],
])('yields the records before the damage of %s and says what is wrong', async (name, message) => {
  const read = await importFile(fit, join(GARMIN, 'invalid', name))
  expect(read.error).toBeInstanceOf(ServiceError)
  expect((read.error as ServiceError).code).toBe('invalid_file')
  expect((read.error as ServiceError).message).toMatch(message)
  expect(read.records).toBe(14)
  expect(read.streams[0]?.n).toBe(14)
})

test('adds the workout and the sport to every sample, with the same ID when read again', async () => {
  const file = activity(100, 101)
    .message(SESSION, [[253, U32], [2, U32], [7, U32], [5, ENUM]], [T0 + 2, T0, 2000, 1]) // biome-ignore format: a row a message
    .bytes()
  const read = await importBytes(fit, file)
  const again = await importBytes(fit, file)
  const id = read.summaries[0]?.id
  expect(read.samples.map(each => each.text)).toEqual([
    { workout_id: id, sport: 'running' },
    { workout_id: id, sport: 'running' },
  ])
  expect(read.streams[0]).toMatchObject({ workoutId: id, sport: { slug: 'running' } })
  expect(again).toEqual(read)
})

test('fills the summary from the session', async () => {
  const fields = [
    [253, U32], [2, U32], [7, U32], [8, U32], [9, U32], [5, ENUM], [6, ENUM], [11, U16], [16, U8], [17, U8], [20, U16], [21, U16],
    [22, U16], [34, U16], [124, U32], [125, U32], [128, U32], [127, U32], [10, U32], [65, U32, 28], [110, TEXT, 8],
  ] as const // biome-ignore format: a list of numbers
  const zones = Buffer.alloc(28)
  for (const [i, seconds] of [10, 20, 30, 40, 50, 60, 7].entries()) zones.writeUInt32LE(seconds * 1000, i * 4)
  const file = activity(120)
    .define(1, SESSION, fields)
    .data(1, T0 + 700, T0, 700_500, 600_250, 300_000, 1, 3, 250, 140, 171, 210, 400, 55, 230, 3000, 4500, 5000, 4000, 900, [...zones], 'Forest')
    .define(0, ACTIVITY, [[253, U32], [5, U32]]) // biome-ignore format: a row a message
    .data(0, T0 + 700, T0 + 700 + 7200)
  const { summaries } = await importBytes(fit, file.bytes())
  expect(summaries[0]).toMatchObject({ offset: 7200, date: '2025-06-01', at: MS0, appId: null })
  expect(summaries[0]?.document).toEqual({
    provider_id: summaries[0]?.id,
    calendar_date: '2025-06-01',
    title: 'Forest',
    sport: { id: 86, name: 'Trail Running', slug: 'trail_running' },
    time_start: '2025-06-01T08:00:00+00:00',
    time_end: '2025-06-01T08:11:40.500+00:00',
    timezone_offset: 7200,
    average_hr: 140,
    max_hr: 171,
    distance: 3000,
    calories: 250,
    hr_zones: [10, 20, 30, 40, 50, 67],
    moving_time: 600,
    total_elevation_gain: 55,
    elev_high: 500,
    elev_low: 300,
    average_speed: 3,
    max_speed: 4.5,
    average_watts: 210,
    device_watts: 210,
    max_watts: 400,
    weighted_average_watts: 230,
    steps: 1800,
  })
})

test.each([
  ['left out', []],
  ['written as well', [T0]],
] as const)('reads compressed headers beyond their 32 seconds, with a time in the definition %s', async (_, time) => {
  const file = new FitFile()
    .fileId(4)
    .define(1, RECORD, time.length > 0 ? [[253, U32], [3, U8]] : [[3, U8]]) // biome-ignore format: a row a message
    .message(21, [[253, U32]], [T0])
  for (const [i, seconds] of [0, 30, 31, 35, 66].entries()) file.compressed(1, T0 + seconds, ...time, 100 + i)
  const read = await importBytes(fit, file.bytes())
  expect(read.error).toBeUndefined()
  expect(listValues(read, 'heartrate', MS0)).toEqual([
    [0, 0, 100],
    [30, 30, 101],
    [31, 31, 102],
    [35, 35, 103],
    [66 - 32, 66 - 32, 104].map((each, i) => (i === 2 ? each : each + 32)),
  ])
})

test('expects no time in compressed messages whose definition has it first', async () => {
  const file = new FitFile().fileId(4).message(21, [[253, U32]], [T0]).define(1, RECORD, [[253, U32], [3, U8]]) // biome-ignore format: a row a message
  file.compressed(1, T0 + 3, 90).compressed(1, T0 + 4, 91)
  expect(listValues(await importBytes(fit, file.bytes()), 'heartrate', MS0)).toEqual([
    [3, 3, 90],
    [4, 4, 91],
  ])
})

test('skips developer fields, except those that replace a field of the profile', async () => {
  const file = new FitFile()
    .fileId(4)
    .define(1, 206, [[0, U8], [1, U8], [2, U8], [3, TEXT, 12], [14, U16], [15, U8]]) // biome-ignore format: a row a message
    .data(1, 0, 5, F32, 'Power', RECORD, 7)
    .define(2, 206, [[0, U8], [1, U8], [2, U8], [3, TEXT, 12]]) // biome-ignore format: a row a message
    .data(2, 0, 6, U16, 'Mood')
    .define(3, RECORD, [[253, U32], [3, U8]], { developer: [[6, 2, 0, U16], [5, 4, 0, F32], [9, 3, 4, BYTES]] }) // biome-ignore format: a row a message
  for (let i = 0; i < 3; i++) file.data(3, T0 + i, 100 + i, 4711, 200.5 + i, [1, 2, 3])
  const read = await importBytes(fit, file.bytes())
  expect(read.error).toBeUndefined()
  expect(listColumn(read.streams[0], 'heartrate')).toEqual([100, 101, 102])
  expect(listColumn(read.streams[0], 'power')).toEqual([200.5, 201.5, 202.5])
})

test('reads big-endian messages, and prefers fields of higher resolution', async () => {
  const file = new FitFile().fileId(4)
  const fields = [[253, U32], [6, U16], [73, U32], [2, U16], [78, U32], [4, U8], [53, U8], [0, S32], [1, S32]] as const // biome-ignore format: a list of numbers
  file.define(0, RECORD, fields, { bigEndian: true })
  file.data(0, T0, 1000, 2500, 2500, 3000, 80, 64, -(2 ** 29), 2 ** 30)
  const [stream] = (await importBytes(fit, file.bytes({ shortHeader: true }))).streams
  expect(listColumn(stream, 'velocity_smooth')).toEqual([2.5])
  expect(listColumn(stream, 'altitude')).toEqual([100])
  expect(listColumn(stream, 'cadence')).toEqual([80.5])
  expect(listColumn(stream, 'lat')).toEqual([-45])
  expect(listColumn(stream, 'lng')).toEqual([90])
})

test('splits the records of a multisport file by session, and keeps the strokes of pool lengths', async () => {
  const session = [[253, U32], [2, U32], [7, U32], [5, ENUM], [6, ENUM]] as const // biome-ignore format: a list of numbers
  const length = [[253, U32], [2, U32], [3, U32], [5, U16], [12, ENUM]] as const // biome-ignore format: a list of numbers
  const file = activity(100, 101, 102, 103)
    .message(101, length, [T0 + 1, T0, 1500, 18, 1], [T0 + 2, T0 + 1, 500, 0xffff, 0])
    .message(SESSION, session, [T0 + 2, T0, 2000, 5, 17], [T0 + 4, T0 + 2, 2000, 2, 0xff])
  const read = await importBytes(fit, file.bytes())
  expect(read.records).toBe(6)
  expect(read.skipped).toEqual({ 'a length has no strokes': 1 })
  expect(read.summaries.map(each => (each.document['sport'] as { slug: string }).slug)).toEqual(['swimming', 'cycling'])
  expect(read.streams.map(each => listColumn(each, 'heartrate'))).toEqual([
    [100, 101],
    [102, 103],
  ])
  expect(listValues(read, 'workout_swimming_stroke', MS0)).toEqual([[0, 1.5, 18]])
})

test('reads concatenated files as one, and reports the position of any damage', async () => {
  const second = new FitFile().fileId(4).message(RECORD, [[253, U32], [3, U8]], [T0 + 600, 90]) // biome-ignore format: a row a message
  const both = Buffer.concat([activity(100, 101).bytes(), second.bytes(), Buffer.alloc(7)])
  const read = await importBytes(fit, both)
  expect(read).toMatchObject({ records: 3, error: undefined })
  expect(read.summaries).toHaveLength(2)
  expect(read.streams.map(each => each.n)).toEqual([2, 1])
  const damaged = await importBytes(fit, Buffer.concat([activity(100, 101).bytes(), second.bytes({ crc: 1 })]))
  expect(damaged.records).toBe(3)
  expect(String(damaged.error)).toMatch(/checksum is wrong/)
  const followed = await importBytes(fit, Buffer.concat([activity(100).bytes(), Buffer.from('garbage')]))
  expect(followed.records).toBe(1)
  expect(String(followed.error)).toMatch(/after its end/)
})

test('keeps the start of a file truncated in the middle of a message, under the ID of the whole file', async () => {
  const event = [[253, U32], [0, ENUM], [1, ENUM]] as const // biome-ignore format: a list of numbers
  const whole = new FitFile()
    .fileId(4)
    .message(21, event, [T0, 0, 0])
    .message(12, [[0, ENUM], [1, ENUM]], [2, 8]) // biome-ignore format: a row a message
    .message(RECORD, [[253, U32], [3, U8]], [T0 + 1, 100], [T0 + 2, 101]) // biome-ignore format: a row a message
    .message(SESSION, [[253, U32], [2, U32], [7, U32], [5, ENUM], [6, ENUM]], [T0 + 2, T0, 2000, 2, 8]) // biome-ignore format: a row a message
    .bytes()
  const read = await importBytes(fit, whole)
  const cut = await importBytes(fit, whole.subarray(0, whole.length - 24))
  expect(String(cut.error)).toMatch(/cut short/)
  expect(cut.summaries[0]?.id).toBe(read.summaries[0]?.id)
  expect(cut.summaries[0]?.document['sport']).toEqual(read.summaries[0]?.document['sport'])
  expect(cut.samples).toEqual(read.samples)
})

test('derives the provider from the device’s manufacturer, unless the caller chooses one', async () => {
  const of = async (manufacturer: number, context = {}) => {
    const rows = new FitFile().fileId(4, manufacturer).message(RECORD, [[253, U32], [3, U8]], [T0, 100]) // biome-ignore format: a row a message
    const { summaries } = await importBytes(fit, rows.bytes(), context)
    return [summaries[0]?.provider, summaries[0]?.sourceType]
  }
  expect(await of(1)).toEqual(['garmin', 'watch'])
  expect(await of(32)).toEqual(['wahoo', 'exercise_machine'])
  expect(await of(260)).toEqual(['zwift', 'exercise_machine'])
  expect(await of(123)).toEqual(['polar', 'watch'])
  expect(await of(23)).toEqual(['manual', 'unknown'])
  expect(await of(0xffff)).toEqual(['manual', 'unknown'])
  expect(await of(1, { provider: 'oura', sourceType: 'ring' })).toEqual(['oura', 'ring'])
})

test('skips data without a time or date, future data and plans, and reports their positions', async () => {
  const records = (...rows: number[][]): FitFile =>
    new FitFile().fileId(4).message(RECORD, [[253, U32], [3, U8]], ...rows) // biome-ignore format: a row a message
  const odd = await importBytes(fit, records([0xffffffff, 61], [T0, 62], [T0 + 86_400 * 400, 63]).bytes())
  expect(odd.records).toBe(3)
  expect(odd.skipped).toEqual({ 'a record has no time': 1, 'a record starts more than a day in the future': 1 })
  expect(odd.places['a record has no time']?.[0]).toMatch(/^byte \d+$/)
  const unset = await importBytes(fit, records([1000, 61], [1001, 62]).bytes())
  expect(unset).toMatchObject({ records: 2, samples: [], summaries: [], streams: [] })
  expect(unset.skipped).toEqual({ 'a record has no date because the clock of the device was not set': 2 })
  const course = new FitFile().fileId(6).message(RECORD, [[253, U32], [3, U8]], [T0, 61]) // biome-ignore format: a row a message
  const plan = await importBytes(fit, course.bytes())
  expect(plan).toMatchObject({
    records: 1,
    summaries: [],
    skipped: { 'a record belongs to a course, which is a plan': 1 },
  })
})

test('accepts a file with nothing to store', async () => {
  const read = await importBytes(fit, new FitFile().fileId(2).bytes())
  expect(read).toMatchObject({ records: 0, samples: [], summaries: [], streams: [], skipped: {}, error: undefined })
})

test.each([
  ['an empty file', Buffer.alloc(0), /empty/],
  ['something else', Buffer.from('hello, this is no such file'), /not a FIT file/],
  ['a header with a wrong checksum', activity(1).bytes({ headerCrc: 7 }), /checksum of its header/],
  ['a message without a definition', new FitFile().raw(3, 1, 2).bytes(), /without a definition/],
  [
    'a message longer than the data',
    Buffer.concat([activity(100).raw(0, 1, 2).bytes(), new FitFile().fileId(4).bytes()]),
    /longer than the file says/,
  ],
])('refuses %s', async (_, bytes, message) => {
  const read = await importBytes(fit, bytes)
  expect(read.error).toBeInstanceOf(ServiceError)
  expect(String(read.error)).toMatch(message)
})

test('stops when cancelled', async () => {
  const controller = new AbortController()
  controller.abort()
  const read = await importBytes(fit, activity(100).bytes(), { signal: controller.signal })
  expect((read.error as ServiceError).code).toBe('cancelled')
})

test('refuses more than 1,000 sessions, and rounds the start to a whole millisecond', async () => {
  const sessions = Array.from({ length: 1001 }, (_, i): [number, number] => [T0 + i, 0])
  const many = new FitFile().fileId(4).message(SESSION, [[253, U32], [7, U32]], ...sessions) // biome-ignore format: a row a message
  expect((await importBytes(fit, many.bytes())).error).toMatchObject({
    code: 'invalid_file',
    message: expect.stringMatching(/more than 1000 sessions/),
  })
  const one = new FitFile().fileId(4).message(SESSION, [[253, U32], [7, U32]], [T0, 60_007]) // biome-ignore format: a row a message
  const read = await importBytes(fit, one.bytes())
  expect(read.summaries[0]?.at).toBe(MS0 - 60_007)
})
