/** Importer of GPX files: each track whose points have times becomes one activity. */
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import type { Importer } from '../importer.ts'
import type { XmlAttributes } from '../xml/attributes.ts'
import { hasRoot } from '../xml/elements.ts'
import { ActivityPoints } from './points.ts'
import type { Place } from './polyline.ts'
import { sportOfWord } from './sports.ts'
import { metresBetween } from './totals.ts'
import { type ActivityHandler, activitiesIn, degreesOf, heartRateOf, numberOf, type TrackImport } from './xml.ts'

const FORMAT = { root: 'gpx', title: 'a GPX file' } as const
/** Metres per second. Anything slower counts as standing still, because satellite positions alone drift that fast. */
const LEAST_SPEED = 0.5

/** Every `trkpt` is one record. Waypoints (`wpt`) and routes (`rte`) are places and plans, so they are not records. */
export const gpx: Importer = {
  format: 'gpx',
  title: 'GPX track',
  recognises: head => hasRoot(head, FORMAT.root),
  read: (file, context) => activitiesIn(file, context, FORMAT, importing => new GpxTracks(importing)),
}

interface OpenTrack {
  readonly points: ActivityPoints
  name: string | null
  type: string | undefined
  offset: number | null
  travelledM: number
  movingMs: number
  /** The previous point; undefined at the start of a segment. */
  last: (Place & { readonly time: EpochMs }) | undefined
}

/** Elements that are read from a point, with the names that different programs use. Other elements are ignored. */
const HEART_RATE = ['hr', 'heartrate'] as const
const CADENCE = ['cad', 'cadence'] as const
const TEMPERATURE = ['atemp', 'temp', 'temperature'] as const
const POWER = ['power', 'watts', 'PowerInWatts'] as const
const IN_POINT: ReadonlySet<string> = new Set([
  ...['time', 'ele', 'speed'],
  ...[HEART_RATE, CADENCE, TEMPERATURE, POWER].flat(),
])

/** Handles the elements of a file. */
class GpxTracks implements ActivityHandler {
  private readonly importing: TrackImport
  private track: OpenTrack | undefined
  private point: Map<string, string> | undefined
  private pointAt = 0

  constructor(importing: TrackImport) {
    this.importing = importing
  }

  open(name: string, attributes: XmlAttributes, parent: string, at: number): void {
    if (name === 'trkpt') {
      this.importing.records++
      this.pointAt = at
      this.point = new Map([
        ['lat', attributes.get('lat')?.trim() ?? ''],
        ['lon', attributes.get('lon')?.trim() ?? ''],
      ])
    } else if (name === 'trk') {
      this.track = {
        points: new ActivityPoints(),
        name: null,
        type: undefined,
        offset: null,
        travelledM: 0,
        movingMs: 0,
        last: undefined,
      }
    } else if (name === 'trkseg' && parent === 'trk' && this.track !== undefined) this.track.last = undefined
  }

  close(name: string, text: string, parent: string): void {
    if (name === 'trkpt') this.endPoint()
    else if (this.point !== undefined) {
      if (IN_POINT.has(name)) this.point.set(name, text)
    } else if (name === 'trk') this.endTrack()
    else if (this.track !== undefined && parent === 'trk') {
      if (name === 'name') this.track.name = text
      else if (name === 'type') this.track.type = text
    }
  }

  cutOff(): void {
    if (this.point !== undefined) this.importing.skip('a trackpoint is cut off', `byte ${this.pointAt}`)
    this.point = undefined
    this.endTrack()
  }

  private endPoint(): void {
    const { track, point } = this
    this.point = undefined
    if (point === undefined) return
    if (track === undefined) {
      this.importing.skip('a trackpoint is outside any track', `byte ${this.pointAt}`)
      return
    }
    const lat = degreesOf(point.get('lat'), 90)
    const lng = degreesOf(point.get('lon'), 180)
    if (lat === undefined || lng === undefined) {
      this.importing.skip('a trackpoint has no valid latitude and longitude', `byte ${this.pointAt}`)
      return
    }
    const text = (names: readonly string[]): string | undefined => {
      const name = names.find(each => point.has(each))
      return name === undefined ? undefined : point.get(name)
    }
    const time = this.importing.point(
      track.points,
      point.get('time'),
      {
        lat,
        lng,
        altitude: numberOf(point.get('ele')),
        distance: this.travelled(track, { lat, lng }, point.get('time')),
        heartrate: heartRateOf(text(HEART_RATE)),
        cadence: numberOf(text(CADENCE)),
        temperature: numberOf(text(TEMPERATURE)),
        power: numberOf(text(POWER)),
        velocity_smooth: numberOf(point.get('speed')),
      },
      this.pointAt,
    )
    if (time !== undefined && track.points.n === 1) track.offset = time.offset
  }

  /** Returns metres since the start of the track. The way from one segment to the next is not counted. */
  private travelled(track: OpenTrack, place: Place, time: string | undefined): number {
    const ms = time === undefined ? undefined : this.importing.timeOf(time)?.ms
    if (ms === undefined || this.importing.timesProblem(ms, ms) !== undefined) return track.travelledM
    const { last } = track
    track.last = { ...place, time: ms }
    if (last !== undefined) {
      const metres = metresBetween(last.lat, last.lng, place.lat, place.lng)
      track.travelledM += metres
      const seconds = (ms - last.time) / SECOND_MS
      if (seconds > 0 && metres / seconds >= LEAST_SPEED) track.movingMs += ms - last.time
    }
    return Math.round(track.travelledM * 100) / 100
  }

  private endTrack(): void {
    const { track } = this
    this.track = undefined
    if (track === undefined) return
    const { points, name, type, offset, movingMs } = track
    const sport = sportOfWord(type)
    points.sort()
    const [start, end] = [points.time[0], points.time.at(-1)]
    if (start === undefined || end === undefined) return
    this.importing.addActivity({
      sport,
      title: name,
      start,
      end,
      offset,
      points,
      stated: { moving_time: movingMs / SECOND_MS },
    })
  }
}
