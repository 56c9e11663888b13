/** How GPX tracks are converted. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gpx } from '../../../src/connectors/files/activity/gpx.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { importBytes, importFile, listColumn, listValues, SAMPLES } from './activity-import.ts'

const SAMPLE = join(SAMPLES, 'gpx', 'cerknicko-jezero.gpx')
const MS0 = Date.parse('2025-06-01T08:00:00Z')

/** Returns a point `north` thousandths of a degree north of the equator: 111.195 m each. */
function point(second: number, north: number, inside = ''): string {
  const time = new Date(MS0 + second * 1000).toISOString()
  return `<trkpt lat="${north / 1000}" lon="7"><time>${time}</time>${inside}</trkpt>`
}

function track(segments: readonly string[], head = ''): string {
  const inside = segments.map(each => `<trkseg>${each}</trkseg>`).join('')
  return `<gpx version="1.1" creator="x">\n<trk>${head}${inside}</trk></gpx>`
}

test('reads a published hike track by track', async () => {
  const read = await importFile(gpx, SAMPLE)
  expect(read).toMatchObject({ records: 296, skipped: {}, error: undefined })
  expect(read.streams.map(each => each.n)).toEqual([173, 52, 2, 44, 2, 2, 21])
  expect(read.summaries).toHaveLength(7)
  expect(read.summaries[0]?.document).toMatchObject({
    title: 'ACTIVE LOG #2',
    sport: { id: 3000, name: 'Other', slug: 'other' },
    time_start: '2010-08-05T14:23:59+00:00',
    time_end: '2010-08-05T15:05:08+00:00',
  })
  expect(listColumn(read.streams[0], 'lat')?.[0]).toBe(45.772175035)
  expect(await importFile(gpx, SAMPLE)).toEqual(read)
})

test('measures distance, climb and moving time along a track, excluding gaps between segments', async () => {
  const read = await importBytes(
    gpx,
    track([
      point(0, 0, '<ele>100</ele>') + point(60, 1, '<ele>101</ele>') + point(120, 2, '<ele>104.5</ele>'),
      point(1000, 50, '<ele>90</ele>') + point(1060, 51, '<ele>95</ele>') + point(1160, 51.1, '<ele>94.5</ele>'),
    ]),
  )
  expect(read.summaries[0]?.document).toMatchObject({
    distance: 344.7,
    total_elevation_gain: 9.5,
    elev_high: 104.5,
    elev_low: 90,
    moving_time: 180,
    average_speed: 1.915,
    map: { polyline: expect.any(String), summary_polyline: expect.any(String) },
  })
  expect(listColumn(read.streams[0], 'distance')).toEqual([0, 111.2, 222.39, 222.39, 333.59, 344.7])
  expect(listValues(read, 'workout_distance', MS0)).toEqual([
    [0, 60, 111.2],
    [60, 120, 111.19],
    [120, 1000, 0],
    [1000, 1060, 111.2],
    [1060, 1160, 11.11],
  ])
})

test.each(['gpxtpx:', 'ns3:', ''])(
  'reads heart rate, cadence, temperature and power under the prefix "%s"',
  async p => {
    const inside = `<extensions><power>210</power><${p}TrackPointExtension><${p}atemp>21.5</${p}atemp><${p}hr>141</${p}hr><${p}cad>84</${p}cad></${p}TrackPointExtension></extensions>`
    const read = await importBytes(
      gpx,
      track([point(0, 0, inside)], '<name><![CDATA[Über den <Berg>]]></name><type>running</type>'),
    )
    expect(read.error).toBeUndefined()
    expect(listValues(read, 'heartrate', MS0)).toEqual([[0, 0, 141]])
    expect(listColumn(read.streams[0], 'temperature')).toEqual([21.5])
    expect(listColumn(read.streams[0], 'cadence')).toEqual([168])
    expect(listColumn(read.streams[0], 'power')).toEqual([210])
    expect(read.summaries[0]?.document).toMatchObject({ title: 'Über den <Berg>', sport: { slug: 'running' } })
  },
)

test.each([
  ['\ufeff  ', ''],
  ['\n', 'p:'],
  ['<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n<!-- x -->', 'gpx:'],
])('recognizes and reads a file that starts with %j and uses the prefix "%s"', async (before, p) => {
  const text = before + track([point(0, 0) + point(1, 1)]).replace(/<(\/?)/g, `<$1${p}`)
  expect(gpx.recognizes(Buffer.from(text))).toBe(true)
  const read = await importBytes(gpx, text)
  expect(read.error).toBeUndefined()
  expect(read.streams[0]?.n).toBe(2)
})

test('does not mistake a file for GPX because of a single word in it', () => {
  for (const text of ['<gpxx/>', '<html><gpx/></html>', 'gpx', '{"gpx": 1}', '<HealthData/>', '']) {
    expect(gpx.recognizes(Buffer.from(text))).toBe(false)
  }
})

test('sorts points by time', async () => {
  const read = await importBytes(gpx, track([point(60, 1) + point(0, 0) + point(120, 2)]))
  expect(Array.from(read.streams[0]?.time ?? [], each => (each - MS0) / 1000)).toEqual([0, 60, 120])
  expect(read.summaries[0]?.document['time_start']).toBe('2025-06-01T08:00:00+00:00')
})

test('skips points without a time or position, and stores nothing from a planned route', async () => {
  const read = await importBytes(
    gpx,
    track(['<trkpt lat="1" lon="2"/>', '<trkpt lat="north" lon="2"><time>2025-06-01T08:00:00Z</time></trkpt>']).replace(
      '</gpx>',
      '<rte><rtept lat="1" lon="2"/></rte><wpt lat="1" lon="2"/></gpx>',
    ),
  )
  expect(read).toMatchObject({ records: 2, summaries: [], streams: [], samples: [], error: undefined })
  expect(read.skipped).toEqual({ 'a trackpoint has no time': 1, 'a trackpoint has no valid latitude and longitude': 1 })
})

test('keeps the points before the end of a truncated file', async () => {
  const text = track([point(0, 0) + point(1, 1) + point(2, 2)])
  const cut = await importBytes(gpx, text.slice(0, text.lastIndexOf('<time>') + 3))
  expect(cut.error).toBeInstanceOf(ServiceError)
  expect(cut.streams[0]?.n).toBe(2)
  expect(cut.records).toBe(3)
})

test('stores the data under the provider and device that the caller chooses', async () => {
  const context = { provider: 'strava', sourceType: 'phone' }
  const read = await importBytes(gpx, track([point(0, 0) + point(1, 1)]), context)
  expect(read.summaries[0]).toMatchObject(context)
  expect(read.streams[0]).toMatchObject(context)
  expect(read.samples[0]).toMatchObject(context)
})

test('counts a point outside any track as skipped', async () => {
  const read = await importBytes(gpx, `<gpx>${point(0, 0)}<trk><trkseg>${point(1, 0)}</trkseg></trk></gpx>`)
  expect(read).toMatchObject({ records: 2, skipped: { 'a trackpoint is outside any track': 1 } })
})
