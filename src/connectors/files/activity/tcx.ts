/** Importer for TCX files (Training Center XML), in which activities consist of laps, and laps consist of trackpoints. */
import type { Sport } from '../../../catalogue/sports.ts'
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import { ActivityPoints } from '../../shared/points.ts'
import { sportOfWord } from '../../shared/sports.ts'
import type { XmlAttributes } from '../xml/attributes.ts'
import { addActivity } from './activity.ts'
import { TcxLaps } from './tcx-laps.ts'
import { readDegrees, readHeartRate, readNumber, TrackHandler, trackImporter } from './xml.ts'

/** The importer. Every `Trackpoint` is one record. Records of activities are stored; records of courses are plans and are skipped. */
export const tcx = trackImporter({
  format: 'tcx',
  title: 'TCX activity file',
  xml: { root: 'TrainingCenterDatabase', title: 'a TCX file' },
  handler: importing => new TcxActivities(importing),
})

interface OpenActivity {
  readonly sport: Sport
  readonly points: ActivityPoints
  readonly laps: TcxLaps
  /** The person's notes on the activity. */
  notes: string | null
  /** The activity's recorded start. */
  start: EpochMs | undefined
  offset: number | null
}

/** Elements that are read from a trackpoint. Other elements are ignored. */
const IN_POINT: ReadonlySet<string> = new Set([
  ...['Time', 'LatitudeDegrees', 'LongitudeDegrees', 'AltitudeMeters', 'DistanceMeters'],
  ...['HeartRateBpm', 'RunCadence', 'Cadence', 'Watts', 'Speed'],
])

class TcxActivities extends TrackHandler {
  private activity: OpenActivity | undefined
  private inLap = false

  open(name: string, attributes: XmlAttributes, _parent: string, at: number): void {
    if (name === 'Trackpoint') this.openPoint(at)
    else if (name === 'Activity') {
      this.activity = {
        sport: sportOfWord(attributes.get('Sport')),
        points: new ActivityPoints(),
        laps: new TcxLaps(),
        notes: null,
        start: undefined,
        offset: null,
      }
    } else if (name === 'Lap' && this.activity !== undefined) {
      this.inLap = true
      this.began(attributes.get('StartTime') ?? '')
      this.activity.laps.open(this.parseTime(attributes.get('StartTime') ?? '')?.ms)
    }
  }

  close(name: string, text: string, parent: string): void {
    if (name === 'Trackpoint') this.endPoint()
    else if (name === 'Activity') this.endActivity()
    else if (name === 'Lap') this.inLap = false
    else if (text === '') return
    else if (this.point !== undefined) this.setPoint(name === 'Value' ? parent : name, text)
    else if (this.inLap) this.activity?.laps.set(name === 'Value' ? parent : name, text)
    else if (this.activity !== undefined && parent === 'Activity') {
      if (name === 'Id') this.began(text)
      else if (name === 'Notes') this.activity.notes = text
    }
  }

  private setPoint(name: string, text: string): void {
    if (IN_POINT.has(name)) this.point?.set(name, text)
  }

  /** Sets an activity's start to its first time. */
  private began(text: string): void {
    const { activity } = this
    const time = this.validTime(text)
    if (activity === undefined || activity.start !== undefined || time === undefined) return
    activity.start = time.ms
    activity.offset = time.offset
  }

  private endPoint(): void {
    const { activity } = this
    const point = this.closePoint()
    if (point === undefined) return
    if (activity === undefined) {
      this.skip('belongs to a course, which is a plan')
      return
    }
    const lat = readDegrees(point.get('LatitudeDegrees'), 90)
    const lng = readDegrees(point.get('LongitudeDegrees'), 180)
    const values = {
      lat: lng === undefined ? undefined : lat,
      lng: lat === undefined ? undefined : lng,
      altitude: readNumber(point.get('AltitudeMeters')),
      distance: readNumber(point.get('DistanceMeters')),
      heartrate: readHeartRate(point.get('HeartRateBpm')),
      cadence: readNumber(point.get('RunCadence') ?? point.get('Cadence')),
      power: readNumber(point.get('Watts')),
      velocity_smooth: readNumber(point.get('Speed')),
    }
    const time = this.addPoint(activity.points, point.get('Time'), values)
    if (time !== undefined && activity.start === undefined) {
      activity.start = time.ms
      activity.offset = time.offset
    }
  }

  protected endActivity(): void {
    const { activity } = this
    this.activity = undefined
    this.inLap = false
    // an activity without a lap or a point has nothing to store
    if (activity?.start === undefined || (activity.points.n === 0 && activity.laps.count === 0)) return
    const { sport, points, laps, notes, start, offset } = activity
    points.sort()
    const end = Math.max(start, laps.end ?? start, points.time[points.n - 1] ?? start)
    const stated = laps.totals()
    const whole = { ...stated, moving_time: stated.moving_time ?? Math.round((end - start) / SECOND_MS) }
    addActivity(this.importing, { sport, title: notes, start, end, offset, points, stated: whole })
  }
}
