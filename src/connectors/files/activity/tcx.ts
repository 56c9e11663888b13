/** Importer of TCX files (Training Center XML), in which activities consist of laps, and laps of trackpoints. */
import type { Sport } from '../../../catalogue/sports.ts'
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import type { Importer } from '../importer.ts'
import type { XmlAttributes } from '../xml/attributes.ts'
import { hasRoot } from '../xml/elements.ts'
import { ActivityPoints } from './points.ts'
import { sportOfWord } from './sports.ts'
import { TcxLaps } from './tcx-laps.ts'
import { type ActivityHandler, activitiesIn, degreesOf, heartRateOf, numberOf, type TrackImport } from './xml.ts'

const FORMAT = { root: 'TrainingCenterDatabase', title: 'a TCX file' } as const

/** Every `Trackpoint` is one record. Those of activities are stored; those of courses are plans and are skipped. */
export const tcx: Importer = {
  format: 'tcx',
  title: 'TCX activity file',
  recognises: head => hasRoot(head, FORMAT.root),
  read: (file, context) => activitiesIn(file, context, FORMAT, importing => new TcxActivities(importing)),
}

interface OpenActivity {
  readonly sport: Sport
  readonly points: ActivityPoints
  readonly laps: TcxLaps
  /** The person's notes on the activity. */
  notes: string | null
  /** The start that the activity states. */
  start: EpochMs | undefined
  offset: number | null
}

/** Elements that are read from a trackpoint. Others are ignored. */
const IN_POINT: ReadonlySet<string> = new Set([
  ...['Time', 'LatitudeDegrees', 'LongitudeDegrees', 'AltitudeMeters', 'DistanceMeters'],
  ...['HeartRateBpm', 'RunCadence', 'Cadence', 'Watts', 'Speed'],
])

/** Handles the elements of a file. Values inside a trackpoint are collected by name until it ends. */
class TcxActivities implements ActivityHandler {
  private readonly importing: TrackImport
  private activity: OpenActivity | undefined
  private point: Map<string, string> | undefined
  private pointAt = 0
  private inLap = false

  constructor(importing: TrackImport) {
    this.importing = importing
  }

  open(name: string, attributes: XmlAttributes, _parent: string, at: number): void {
    if (name === 'Trackpoint') {
      this.importing.records++
      this.point = new Map()
      this.pointAt = at
    } else if (name === 'Activity') {
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
      this.activity.laps.open(this.importing.timeOf(attributes.get('StartTime') ?? '')?.ms)
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

  cutOff(): void {
    if (this.point !== undefined) this.importing.skip('a trackpoint is cut off', `byte ${this.pointAt}`)
    this.point = undefined
    this.endActivity()
  }

  /** Sets the start of an activity to the first time that it names. */
  private began(text: string): void {
    const { activity } = this
    const time = this.importing.timeOf(text)
    if (activity === undefined || activity.start !== undefined || time === undefined) return
    if (this.importing.timesProblem(time.ms, time.ms) !== undefined) return
    activity.start = time.ms
    activity.offset = time.offset
  }

  private endPoint(): void {
    const { activity, point } = this
    this.point = undefined
    if (point === undefined) return
    if (activity === undefined) {
      this.importing.skip('a trackpoint belongs to a course, which is a plan', `byte ${this.pointAt}`)
      return
    }
    const lat = degreesOf(point.get('LatitudeDegrees'), 90)
    const lng = degreesOf(point.get('LongitudeDegrees'), 180)
    const values = {
      lat: lng === undefined ? undefined : lat,
      lng: lat === undefined ? undefined : lng,
      altitude: numberOf(point.get('AltitudeMeters')),
      distance: numberOf(point.get('DistanceMeters')),
      heartrate: heartRateOf(point.get('HeartRateBpm')),
      cadence: numberOf(point.get('RunCadence') ?? point.get('Cadence')),
      power: numberOf(point.get('Watts')),
      velocity_smooth: numberOf(point.get('Speed')),
    }
    const time = this.importing.point(activity.points, point.get('Time'), values, this.pointAt)
    if (time !== undefined && activity.start === undefined) {
      activity.start = time.ms
      activity.offset = time.offset
    }
  }

  private endActivity(): void {
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
    this.importing.addActivity({ sport, title: notes, start, end, offset, points, stated: whole })
  }
}
