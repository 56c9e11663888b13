/** How TCX files are converted, and the traps of their XML. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tcx } from '../../../src/connectors/files/activity/tcx.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { importBytes, importFile, listColumn, listValues, SAMPLES } from './activity-import.ts'

const SAMPLE = join(SAMPLES, 'tcx', 'test.tcx')
const MS0 = Date.parse('2025-06-01T08:00:00Z')

interface Options {
  readonly sport?: string
  readonly prefix?: string
  readonly lap?: string
  readonly more?: string
}

/** Returns a document with one activity of one lap. */
function document(trackpoints: string, { sport = 'Biking', prefix = '', lap = '', more = '' }: Options = {}): string {
  const xml = `<TrainingCenterDatabase xmlns="urn:x"><Activities><Activity Sport="${sport}"><Id>2025-06-01T08:00:00Z</Id>
<Lap StartTime="2025-06-01T08:00:00Z">${lap}<Track>${trackpoints}</Track></Lap>${more}</Activity></Activities></TrainingCenterDatabase>`
  return prefix === '' ? xml : xml.replace(/<(\/?)(?=[A-Z])/g, `<$1${prefix}:`)
}

function trackpoint(second: number, inside = ''): string {
  const time = new Date(MS0 + second * 1000).toISOString()
  return `<Trackpoint><Time>${time}</Time>${inside}</Trackpoint>\n`
}

test('reads a published run completely', async () => {
  const read = await importFile(tcx, SAMPLE)
  expect(read).toMatchObject({ records: 384, skipped: {}, error: undefined })
  expect(listValues(read, 'heartrate')).toHaveLength(383)
  expect(read.streams.map(each => each.n)).toEqual([384])
  expect(read.streams[0]).toMatchObject({ provider: 'manual', sourceType: 'unknown', sport: { slug: 'running' } })
  expect(listColumn(read.streams[0], 'distance')?.at(-2)).toBe(4686.31103516)
  expect(read.summaries[0]?.document).toMatchObject({
    title: 'Aerobics',
    time_start: '2012-12-26T21:29:53+00:00',
    distance: 4689.24,
    calories: 379,
    moving_time: 1993,
    max_hr: 189,
    elev_high: 216,
  })
  expect(read.summaries[0]?.document).not.toHaveProperty('timezone_offset')
  const covered = listValues(read, 'workout_distance').reduce((sum, each) => sum + (each[2] as number), 0)
  expect(covered).toBeCloseTo(4686.311, 1)
  const again = await importFile(tcx, SAMPLE)
  expect(again).toEqual(read)
})

test.each([
  ['blanks before the declaration', '\n  <?xml version="1.0"?>', ''],
  ['a byte order mark', '\ufeff<?xml version="1.0" encoding="UTF-8"?>', ''],
  ['blanks and then a byte order mark', ' \n\ufeff<?xml version="1.0"?>', ''],
  ['a comment first', '<!-- made by hand -->', ''],
  ['another prefix', '<?xml version="1.0"?>', 'ns3'],
])('reads a file with %s', async (_, before, prefix) => {
  const text = before + document(trackpoint(0, '<HeartRateBpm><Value>99</Value></HeartRateBpm>'), { prefix })
  expect(tcx.recognizes(Buffer.from(text))).toBe(true)
  const read = await importBytes(tcx, text)
  expect(read.error).toBeUndefined()
  expect(listValues(read, 'heartrate', MS0)).toEqual([[0, 0, 99]])
})

test('reads speed, power and cadence from extensions with any prefix', async () => {
  const extension = (p: string): string =>
    `<Extensions><${p}TPX><${p}Speed>2.5</${p}Speed><${p}RunCadence>85</${p}RunCadence><${p}Watts>240</${p}Watts></${p}TPX></Extensions>`
  for (const prefix of ['', 'ns3:', 'x:']) {
    const { streams } = await importBytes(tcx, document(trackpoint(0, extension(prefix)), { sport: 'Running' }))
    expect(listColumn(streams[0], 'velocity_smooth')).toEqual([2.5])
    expect(listColumn(streams[0], 'cadence')).toEqual([170])
    expect(listColumn(streams[0], 'power')).toEqual([240])
  }
})

test('sums the laps, and stores the distance between points as intervals of the workout', async () => {
  const lap = `<TotalTimeSeconds>60.5</TotalTimeSeconds><DistanceMeters>300</DistanceMeters><Calories>20</Calories>
<AverageHeartRateBpm><Value>140</Value></AverageHeartRateBpm><MaximumHeartRateBpm><Value>150</Value></MaximumHeartRateBpm>`
  const second = `<Lap StartTime="2025-06-01T08:01:00Z"><TotalTimeSeconds>30</TotalTimeSeconds><DistanceMeters>200</DistanceMeters>
<Calories>5</Calories><AverageHeartRateBpm><Value>170</Value></AverageHeartRateBpm><Track>${trackpoint(70, '<DistanceMeters>500</DistanceMeters>')}</Track></Lap>`
  const at = (second: number, metres: number): string =>
    trackpoint(second, `<DistanceMeters>${metres}</DistanceMeters>`)
  const read = await importBytes(
    tcx,
    document(at(0, 0) + at(30, 120.5) + at(30, 121) + at(60, 300), { lap, more: second }),
  )
  expect(read.summaries[0]?.document).toMatchObject({
    sport: { slug: 'cycling' },
    time_end: '2025-06-01T08:01:30+00:00',
    moving_time: 91,
    distance: 500,
    calories: 25,
    average_hr: 150,
    max_hr: 150,
  })
  expect(listValues(read, 'workout_distance', MS0)).toEqual([
    [0, 30, 120.5],
    [30, 60, 179.5],
    [60, 70, 200],
  ])
  expect(read.samples[0]?.text).toEqual({ workout_id: read.summaries[0]?.id, sport: 'cycling' })
})

test('keeps the offset of a time, reads a local time in the user’s time zone, and leaves the offset of Z unknown', async () => {
  const of = async (time: string, timeZone: string | null) => {
    const point = `<Trackpoint><Time>${time}</Time><HeartRateBpm><Value>90</Value></HeartRateBpm></Trackpoint>`
    const text = document(point).replaceAll('2025-06-01T08:00:00Z', time)
    const { summaries, samples } = await importBytes(tcx, text, { timeZone })
    return [new Date(samples[0]?.start ?? 0).toISOString().slice(0, 16), samples[0]?.offset, summaries[0]?.date]
  }
  expect(await of('2025-06-01T23:30:00Z', null)).toEqual(['2025-06-01T23:30', null, '2025-06-01'])
  expect(await of('2025-06-01T23:30:00Z', 'Europe/Berlin')).toEqual(['2025-06-01T23:30', null, '2025-06-02'])
  expect(await of('2025-06-01T23:30:00+02:00', null)).toEqual(['2025-06-01T21:30', 7200, '2025-06-01'])
  expect(await of('2025-06-01T23:30:00', 'Europe/Berlin')).toEqual(['2025-06-01T21:30', 7200, '2025-06-01'])
})

test('skips trackpoints without a usable time or in courses, and reports their positions', async () => {
  const course = `<Courses><Course><Name>x</Name><Track>${trackpoint(5)}</Track></Course></Courses></TrainingCenterDatabase>`
  const points = `${trackpoint(0)}<Trackpoint/><Trackpoint><Time>soon 4711</Time></Trackpoint>${trackpoint(40_000_000)}`
  const read = await importBytes(tcx, document(points).replace('</TrainingCenterDatabase>', course))
  expect(read.records).toBe(5)
  expect(read.skipped).toEqual({
    'a trackpoint has no time': 1,
    'a trackpoint has a time that cannot be read': 1,
    'a trackpoint starts more than a day in the future': 1,
    'a trackpoint belongs to a course, which is a plan': 1,
  })
  expect(Object.values(read.places).flat()).toHaveLength(4)
  for (const position of Object.values(read.places).flat()) expect(position).toMatch(/^byte \d+$/)
  expect(JSON.stringify([read.skipped, read.places])).not.toContain('4711')
  expect(read.streams[0]?.n).toBe(1)
})

test('reads no value from invalid text, and no position from half a pair of coordinates', async () => {
  const inside = `<Position><LatitudeDegrees>91</LatitudeDegrees><LongitudeDegrees>8</LongitudeDegrees></Position>
<AltitudeMeters>high</AltitudeMeters><DistanceMeters>NaN</DistanceMeters><HeartRateBpm><Value>0</Value></HeartRateBpm>`
  const read = await importBytes(tcx, document(trackpoint(0, inside)))
  expect(read.streams[0]?.n).toBe(1)
  expect([...(read.streams[0]?.columns.keys() ?? [])]).toEqual([])
  expect(read.samples).toEqual([])
})

test('yields the records before the end of a truncated file', async () => {
  const heart = '<HeartRateBpm><Value>90</Value></HeartRateBpm>'
  const whole = document(trackpoint(0, heart) + trackpoint(1, heart) + trackpoint(2, heart))
  const cut = await importBytes(tcx, whole.slice(0, whole.lastIndexOf('<Value>') + 8))
  expect(cut.error).toBeInstanceOf(ServiceError)
  expect((cut.error as ServiceError).code).toBe('invalid_file')
  expect(cut.records).toBe(3)
  expect(cut.skipped).toEqual({ 'a trackpoint is cut off': 1 })
  expect(cut.streams[0]?.n).toBe(2)
  expect(cut.summaries[0]?.id).toBe((await importBytes(tcx, whole)).summaries[0]?.id)
})

test('accepts a file with nothing to store', async () => {
  const read = await importBytes(tcx, '<TrainingCenterDatabase><Folders/></TrainingCenterDatabase>')
  expect(read).toMatchObject({ records: 0, samples: [], summaries: [], streams: [], skipped: {}, error: undefined })
})

test.each([
  ['an empty file', '', /empty/],
  ['UTF-16', Buffer.from('\ufeff<TrainingCenterDatabase/>', 'utf16le'), /UTF-16/],
  ['another root', '<gpx/>', /its root is <gpx>, not <TrainingCenterDatabase>/],
  ['no XML', 'hello', /not XML/],
  ['a line of text without an end', `<TrainingCenterDatabase>${'x'.repeat(3_000_000)}`, /1 MiB/],
  ['elements without end', `<TrainingCenterDatabase>${'<a>'.repeat(100)}`, /nested more than 64 levels deep/],
])('refuses %s', async (_, content, message) => {
  const read = await importBytes(tcx, content)
  expect(read.error).toBeInstanceOf(ServiceError)
  expect(String(read.error)).toMatch(message)
})

test('does not expand entities that a document type declares', async () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "AAAAAAAAAA"><!ENTITY b "&a;&a;&a;">]>`
  const read = await importBytes(tcx, bomb + document(trackpoint(0), { more: '<Notes>&b; &amp; &#x41;</Notes>' }))
  expect(read.summaries[0]?.document['title']).toBe('&b; & A')
})

test('refuses too many laps', async () => {
  const laps = '<Lap><TotalTimeSeconds>1</TotalTimeSeconds></Lap>'.repeat(10_000)
  const read = await importBytes(tcx, document(trackpoint(0), { more: laps }))
  expect(read.error).toMatchObject({ code: 'invalid_file', message: expect.stringMatching(/more than 10000 laps/) })
})
