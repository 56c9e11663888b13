/** The workout routes in an export.zip: each becomes the stream of its workout. */
import { expect, test } from 'vitest'
import { accounted, buildZip, exportXml, importBytes, type ReadExport, readDamaged, type ZipPart } from '../exports.ts'

const point = (second: number, lat: number | string, lon: number | string, inside = ''): string =>
  `<trkpt lon="${lon}" lat="${lat}"><time>2026-01-01T07:00:${String(second).padStart(2, '0')}Z</time>${inside}</trkpt>`
const full = (altitude: number, speed: number): string =>
  `<ele>${altitude}</ele><extensions><speed>${speed}</speed><course>-1.000000</course><hAcc>3.7</hAcc><vAcc>2.7</vAcc></extensions>`
const gpx = (points: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">
 <metadata><time>2026-01-09T14:57:33Z</time></metadata><trk><name>Route 2026-01-01 8:00am</name><trkseg>\n${points}</trkseg></trk></gpx>`
const route = (name: string): string =>
  `<WorkoutRoute sourceName="Watch" startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 08:30:00 +0100">
 <MetadataEntry key="HKMetadataKeySyncVersion" value="2"/><FileReference path="${name}"/></WorkoutRoute>`
const workout = (inside: string, hour = '08', kind = 'Running'): string =>
  `<Workout workoutActivityType="HKWorkoutActivityType${kind}" sourceName="My Apple Watch" startDate="2026-01-01 ${hour}:00:00 +0100" endDate="2026-01-01 ${hour}:30:00 +0100">${inside}</Workout>`
const file = (name: string, content: string): ZipPart => ({
  name: `apple_health_export/workout-routes/${name}`,
  content,
})
const zip = (children: string, ...files: readonly ZipPart[]): Uint8Array =>
  buildZip([...files, { name: 'apple_health_export/export.xml', content: exportXml(children) }])

const A = '/workout-routes/a.gpx'
const POINTS = [
  point(0, 52.5, 13.4, full(30.5, 2.5)),
  point(1, 52.50001, 13.40002, full(31, -1)),
  point(2, 52.5001, 13.4002),
]
const listColumns = (read: ReadExport): Record<string, number[]> =>
  Object.fromEntries([...(read.streams[0]?.columns ?? [])].map(([name, values]) => [name, [...values]]))

test('creates a stream from the route with the available columns, and adds the map to the summary', async () => {
  const read = await importBytes(zip(workout(route(A)), file('a.gpx', gpx(POINTS.join('\n')))))
  const [summary] = read.summaries
  const start = Date.UTC(2026, 0, 1, 7)
  expect(read.streams).toMatchObject([
    {
      workoutId: summary?.id,
      providerId: summary?.id,
      provider: 'apple_health_kit',
      sourceType: 'watch',
      at: start,
      offset: 3600,
      sport: { id: 37, name: 'Running', slug: 'running' },
      n: 3,
    },
  ])
  expect([...(read.streams[0]?.time ?? [])]).toEqual([start, start + 1000, start + 2000])
  expect(listColumns(read)).toEqual({
    lat: [52.5, 52.50001, 52.5001],
    lng: [13.4, 13.40002, 13.4002],
    altitude: [30.5, 31, Number.NaN],
    // -1 means that the speed is unknown
    velocity_smooth: [2.5, Number.NaN, Number.NaN],
  })
  expect(summary?.document).toMatchObject({
    elev_high: 31,
    elev_low: 30.5,
    max_speed: 2.5,
    map: { polyline: '_|l_I_expAACQc@', summary_polyline: '_|l_I_expASg@' },
  })
  // the workout and its route
  expect([read.records, accounted(read)]).toEqual([2, 2])
  expect(read.skipped).toEqual({})
})

test('yields the same result when imported again', async () => {
  const bytes = zip(workout(route(A)), file('a.gpx', gpx(POINTS.join(''))))
  expect(await importBytes(bytes)).toEqual(await importBytes(bytes))
})

test('joins the routes of one workout in time order', async () => {
  const read = await importBytes(
    zip(
      workout(route(A) + route('/workout-routes/b.gpx')),
      file('a.gpx', gpx(point(30, 1, 1) + point(10, 2, 2))),
      file('b.gpx', gpx(point(20, 3, 3))),
    ),
  )
  expect(listColumns(read)['lat']).toEqual([2, 3, 1])
  expect(read.skipped).toEqual({ 'further routes of a workout, joined into its stream': 1 })
  expect([read.records, accounted(read)]).toEqual([3, 3])
})

test('keeps a workout whose route cannot be read, and says why and where', async () => {
  const children = [
    workout(route('/workout-routes/missing.gpx'), '08'),
    workout(route('/workout-routes/broken.gpx'), '09'),
    workout(route('/workout-routes/empty.gpx'), '10'),
    workout(route('/../../etc/passwd'), '11'),
    workout(route('/workout-routes/timeless.gpx'), '12'),
    workout(route(A), '13'),
    workout(route(A), '14'),
    workout(route('/export.xml'), '15'),
    workout(route(`/${'x'.repeat(5000)}`), '16'),
  ]
  const read = await importBytes(
    zip(
      children.join('\n'),
      file('a.gpx', gpx(POINTS.join(''))),
      file('broken.gpx', gpx(POINTS.join('')).replace('</trkseg>', '')),
      file('empty.gpx', ''),
      file(
        'timeless.gpx',
        gpx('<trkpt lat="1" lon="1"/><trkpt lat="91" lon="1"><time>2026-01-01T07:00:00Z</time></trkpt>'),
      ),
    ),
  )
  expect(read.summaries).toHaveLength(9)
  expect(read.streams).toHaveLength(1)
  expect(read.skipped).toEqual({
    'a route whose file is not in the zip': 3,
    'a route that is not well-formed XML': 2,
    'a route without points that have both a time and a position': 2,
    'a route that another workout refers to as well': 1,
  })
  const xml = Buffer.from(exportXml(children.join('\n')))
  expect(read.places['a route that another workout refers to as well']).toEqual([
    `byte ${xml.lastIndexOf(`<FileReference path="${A}"`)}`,
  ])
  expect([read.records, accounted(read)]).toEqual([18, 18])
  expect(JSON.stringify(read.skipped)).not.toMatch(/gpx|passwd/)
})

test('leaves out points in the future, before 1970 or without a valid position', async () => {
  const odd = ['2999-01-01T00:00:00Z', '1969-12-31T23:59:59Z', 'noon', '2026-02-30T00:00:00Z'].map(
    time => `<trkpt lat="1" lon="1"><time>${time}</time></trkpt>`,
  )
  const nowhere = [point(1, 'x', 1), point(2, 1, 181), point(3, '', ''), point(4, 'NaN', '0x1')]
  const read = await importBytes(
    zip(workout(route(A)), file('a.gpx', gpx([...odd, ...nowhere, point(5, -90, 180)].join('')))),
  )
  expect(listColumns(read)).toEqual({ lat: [-90], lng: [180] })
  // a line needs two positions
  expect(read.summaries[0]?.document).not.toHaveProperty('map')
})

test('counts the routes of an export.xml without its zip as skipped', async () => {
  const read = await importBytes(exportXml(workout(route(A) + route(A)) + workout('', '09')))
  expect(read.summaries).toHaveLength(2)
  expect(read.skipped).toEqual({ 'workout routes, which only the export.zip contains': 2 })
  expect([read.records, accounted(read)]).toEqual([4, 4])
})

test('does not read the route of a skipped workout', async () => {
  const read = await importBytes(
    zip(workout(route(A)).replace('2026-01-01 08:30', '2025-01-01 08:30'), file('a.gpx', 'x')),
  )
  expect(read.skipped).toEqual({ 'a workout ends before it starts': 1 })
})

test('refuses a zip whose route states a false size, after yielding everything else', async () => {
  const read = await readDamaged(
    zip(workout(route(A)) + workout(route('/workout-routes/b.gpx'), '09'), file('a.gpx', gpx(POINTS.join(''))), {
      ...file('b.gpx', gpx(POINTS.join(''))),
      statedSize: 10,
    }),
  )
  expect(read.damage).toMatchObject({ code: 'invalid_file', message: expect.stringMatching(/size that it states/) })
  expect(read.summaries).toHaveLength(2)
  expect(read.streams).toHaveLength(1)
  expect(accounted(read)).toBe(read.records)
})
