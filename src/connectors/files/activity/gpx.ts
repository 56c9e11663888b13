/** Importer for GPX files. Each track whose points have times becomes one activity. */
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import { ActivityPoints } from '../../shared/points.ts'
import type { RoutePosition } from '../../shared/polyline.ts'
import { sportOfWord } from '../../shared/sports.ts'
import { metresBetween } from '../../shared/totals.ts'
import type { XmlAttributes } from '../xml/attributes.ts'
import { addActivity } from './activity.ts'
import { readDegrees, readHeartRate, readNumber, TrackHandler, trackImporter } from './xml.ts'

/** Minimum speed in metres per second. Anything slower counts as standing still, because satellite positions drift at up to this speed. */
const LEAST_SPEED = 0.5

/** The importer. Every `trkpt` is one record. Waypoints (`wpt`) are locations and routes (`rte`) are plans, so they are not records. */
export const gpx = trackImporter({
  format: 'gpx',
  title: 'GPX track',
  xml: { root: 'gpx', title: 'a GPX file' },
  handler: importing => new GpxTracks(importing),
})

interface OpenTrack {
  readonly points: ActivityPoints
  name: string | null
  type: string | undefined
  offset: number | null
  traveledM: number
  movingMs: number
  /** The previous point; undefined at the start of a segment. */
  last: (RoutePosition & { readonly time: EpochMs }) | undefined
}

/** Elements that are read from a point, under the names that different programs use. Other elements are ignored. */
const HEART_RATE = ['hr', 'heartrate'] as const
const CADENCE = ['cad', 'cadence'] as const
const TEMPERATURE = ['atemp', 'temp', 'temperature'] as const
const POWER = ['power', 'watts', 'PowerInWatts'] as const
const IN_POINT: ReadonlySet<string> = new Set([
  ...['time', 'ele', 'speed'],
  ...[HEART_RATE, CADENCE, TEMPERATURE, POWER].flat(),
])

class GpxTracks extends TrackHandler {
  private track: OpenTrack | undefined

  open(name: string, attributes: XmlAttributes, parent: string, at: number): void {
    if (name === 'trkpt') {
      this.openPoint(at, { lat: attributes.get('lat')?.trim() ?? '', lon: attributes.get('lon')?.trim() ?? '' })
    } else if (name === 'trk') {
      this.track = {
        points: new ActivityPoints(),
        name: null,
        type: undefined,
        offset: null,
        traveledM: 0,
        movingMs: 0,
        last: undefined,
      }
    } else if (name === 'trkseg' && parent === 'trk' && this.track !== undefined) this.track.last = undefined
  }

  close(name: string, text: string, parent: string): void {
    if (name === 'trkpt') this.endPoint()
    else if (this.point !== undefined) {
      if (IN_POINT.has(name)) this.point.set(name, text)
    } else if (name === 'trk') this.endActivity()
    else if (this.track !== undefined && parent === 'trk') {
      if (name === 'name') this.track.name = text
      else if (name === 'type') this.track.type = text
    }
  }

  private endPoint(): void {
    const { track } = this
    const point = this.closePoint()
    if (point === undefined) return
    if (track === undefined) {
      this.skip('is outside any track')
      return
    }
    const lat = readDegrees(point.get('lat'), 90)
    const lng = readDegrees(point.get('lon'), 180)
    if (lat === undefined || lng === undefined) {
      this.skip('has no valid latitude and longitude')
      return
    }
    const text = (names: readonly string[]): string | undefined => {
      const name = names.find(each => point.has(each))
      return name === undefined ? undefined : point.get(name)
    }
    const time = this.addPoint(track.points, point.get('time'), {
      lat,
      lng,
      altitude: readNumber(point.get('ele')),
      distance: this.traveled(track, { lat, lng }, point.get('time')),
      heartrate: readHeartRate(text(HEART_RATE)),
      cadence: readNumber(text(CADENCE)),
      temperature: readNumber(text(TEMPERATURE)),
      power: readNumber(text(POWER)),
      velocity_smooth: readNumber(point.get('speed')),
    })
    if (time !== undefined && track.points.n === 1) track.offset = time.offset
  }

  /** Returns the distance since the start of the track, in metres. The distance from one segment to the next is not counted. */
  private traveled(track: OpenTrack, position: RoutePosition, text: string | undefined): number {
    const time = text === undefined ? undefined : this.validTime(text)?.ms
    if (time === undefined) return track.traveledM
    const { last } = track
    track.last = { ...position, time }
    if (last !== undefined) {
      const metres = metresBetween(last.lat, last.lng, position.lat, position.lng)
      track.traveledM += metres
      const seconds = (time - last.time) / SECOND_MS
      if (seconds > 0 && metres / seconds >= LEAST_SPEED) track.movingMs += time - last.time
    }
    return Math.round(track.traveledM * 100) / 100
  }

  protected endActivity(): void {
    const { track } = this
    this.track = undefined
    if (track === undefined) return
    const { points, name, type, offset, movingMs } = track
    points.sort()
    const [start, end] = [points.time[0], points.time.at(-1)]
    if (start === undefined || end === undefined) return
    const stated = { moving_time: movingMs / SECOND_MS }
    addActivity(this.importing, { sport: sportOfWord(type), title: name, start, end, offset, points, stated })
  }
}
