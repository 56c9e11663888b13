/** Reads workout routes, which are GPX files next to the export.xml in an export.zip. They become their workout's stream. */
import { ServiceError } from '../../../core/errors.ts'
import { present } from '../../../core/present.ts'
import { withoutNulls } from '../../../core/summary-document.ts'
import { ActivityPoints } from '../../shared/points.ts'
import { routeMap } from '../../shared/polyline.ts'
import { statistics } from '../../shared/totals.ts'
import { listPositions, workoutStream } from '../../shared/workout.ts'
import type { Piece } from '../bytes/file-pieces.ts'
import type { RecordImport } from '../records/import.ts'
import { numberIn, type XmlAttributes } from '../xml/attributes.ts'
import type { ByteWindow } from '../xml/byte-window.ts'
import { XmlReader } from '../xml/reader.ts'
import type { AppleExport } from './export.ts'
import { TimeReader } from './time.ts'
import type { RoutedWorkout } from './workouts.ts'

/** Maximum size of a route: several days with a point every second, which is longer than any workout. */
const MAX_ROUTE_BYTES = 64 * 1_048_576
const JOINED = 'further routes of a workout, joined into its stream'

/** Returns the route file at a path in the export; undefined if there is none. */
export type RouteFiles = (path: string) => AsyncIterable<Piece> | undefined

/**
 * Reads the routes that `content` waits for, adds each workout with its stream, and yields after each workout. A route that cannot be read
 * counts as skipped, but its workout is kept. Errors in the zip file itself are thrown.
 */
export async function* routedWorkouts(content: AppleExport, files: RouteFiles): AsyncGenerator<void> {
  const { importing, routed } = content
  const seen = new Set<string>()
  for (let workout = routed[0]; workout !== undefined; workout = routed[0]) {
    let points = new ActivityPoints()
    for (const { path, byte } of workout.routes) {
      const isFirst = points.n === 0
      const read = await readRoute(path, files, seen, importing)
      importing.records++
      if (typeof read !== 'string') points = joined(points, read)
      if (typeof read === 'string' || !isFirst) importing.skip(typeof read === 'string' ? read : JOINED, `byte ${byte}`)
    }
    routed.shift()
    addWorkout(importing, workout, points)
    yield
  }
}

/** Returns a route's points, or the reason why the route is skipped. */
async function readRoute(
  path: string,
  files: RouteFiles,
  seen: Set<string>,
  importing: RecordImport,
): Promise<ActivityPoints | string> {
  // a route that a file refers to a thousand times must not be unpacked each time
  if (seen.has(path)) return 'a route that another workout refers to as well'
  seen.add(path)
  const file = files(path)
  if (file === undefined) return 'a route whose file is not in the zip'
  const points = new ActivityPoints()
  const reader = new XmlReader(new RoutePoints(points, importing))
  let bytesSeen = 0
  for await (const { bytes } of file) {
    bytesSeen += bytes.length
    if (bytesSeen > MAX_ROUTE_BYTES) return 'a route larger than 64 MiB'
    if (!isReadable(() => reader.write(bytes))) return 'a route that is not well-formed XML'
  }
  if (!isReadable(() => reader.end())) return 'a route that is not well-formed XML'
  return points.n === 0 ? 'a route without points that have both a time and a position' : points
}

function joined(points: ActivityPoints, more: ActivityPoints): ActivityPoints {
  if (points.n === 0) return more
  for (let i = 0; i < more.n; i++) points.copy(more, i, present(more.time[i], 'a time'))
  return points
}

/** Runs one step of reading a route. Returns false if the route is damaged, which does not invalidate the export. */
function isReadable(step: () => void): boolean {
  try {
    step()
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_file') return false
    throw error
  }
}

/** Collects a route's trackpoints. Numbers and times are read directly from the bytes. */
class RoutePoints {
  private readonly points: ActivityPoints
  private readonly importing: RecordImport
  private readonly time = new TimeReader(null)
  /** The element whose text follows. */
  private element = ''
  private isPoint = false
  private isTimed = false
  private lat = Number.NaN
  private lng = Number.NaN
  private altitude = Number.NaN
  private speed = Number.NaN

  constructor(points: ActivityPoints, importing: RecordImport) {
    this.points = points
    this.importing = importing
  }

  open(name: string, attributes: XmlAttributes): void {
    this.element = name
    if (name !== 'trkpt') return
    this.isPoint = true
    this.isTimed = false
    this.lat = numberAt(attributes, 'lat')
    this.lng = numberAt(attributes, 'lon')
    this.altitude = Number.NaN
    this.speed = Number.NaN
  }

  rawText(window: ByteWindow, from: number, to: number): void {
    if (!this.isPoint) return
    if (this.element === 'ele') this.altitude = numberIn(window, from, to)
    else if (this.element === 'speed') this.speed = numberIn(window, from, to)
    else if (this.element === 'time') this.isTimed = this.time.readIn(window, from, to)
  }

  close(name: string): void {
    this.element = ''
    if (name !== 'trkpt' || !this.isPoint) return
    this.isPoint = false
    const { lat, lng, altitude, speed, isTimed } = this
    if (!isTimed || !(Math.abs(lat) <= 90 && Math.abs(lng) <= 180)) return
    const { ms } = this.time
    if (this.importing.timesProblem(ms, ms) !== undefined) return
    // a speed of -1 means unknown
    this.points.add(ms, { lat, lng, altitude, velocity_smooth: speed < 0 ? undefined : speed })
  }
}

function numberAt(attributes: XmlAttributes, name: string): number {
  const index = attributes.find(name)
  return index === -1 ? Number.NaN : attributes.number(index)
}

function addWorkout(importing: RecordImport, { summary }: RoutedWorkout, points: ActivityPoints): void {
  if (points.n === 0) {
    importing.addItem({ kind: 'summary', summary })
    return
  }
  points.sort()
  const altitude = statistics(points.column('altitude'))
  const document = withoutNulls({
    ...summary.document,
    elev_high: altitude.max,
    elev_low: altitude.min,
    max_speed: statistics(points.column('velocity_smooth')).max,
    map: routeMap(listPositions(points)),
  })
  importing.addItem({ kind: 'summary', summary: { ...summary, document } })
  importing.addItem({ kind: 'stream', stream: workoutStream(summary, points.stream()) })
}
