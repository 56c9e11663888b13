/** Builds a FIT file's workouts from its records, sessions and pool lengths, once the file has been read. */
import { OTHER_SPORT, type Sport } from '../../../catalogue/sports.ts'
import { ServiceError } from '../../../core/errors.ts'
import { present } from '../../../core/present.ts'
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import { ActivityPoints } from '../../shared/points.ts'
import type { Activity, SwimLength } from '../activity/activity.ts'
import { type FitClock, NO_DATE } from './clock.ts'
import type { FitDeveloperFields } from './developer.ts'
import { LAP, SESSION, SPORT, TIME_IN_ZONE, TIMER_EVENT } from './kinds.ts'
import type { FitMessage } from './message.ts'
import { FitRecords } from './record.ts'
import { type FitSession, fitSession, sixZones } from './session.ts'
import { fitSport } from './sports.ts'

const ACTIVE_LENGTH = 1
/** Maximum time between the start of a workout without a session and the workout's first record. */
const MOST_WAIT_SECONDS = 86_400

/**
 * Maximum number of sessions. A file contains one session, or a few sessions of the same day; a hostile file must not exhaust memory or
 * time.
 */
const MOST_SESSIONS = 1000
/** Maximum number of pool lengths, enough for a hundred days of swimming. */
const MOST_LENGTHS = 500_000

interface RawLength {
  readonly start: number
  readonly seconds: number
  readonly strokes: number
}

/**
 * Collects messages until `activities` builds the workouts. Throws ServiceError `invalid_file` if there are too many. Until then, times are
 * in device seconds, because the device's date may be known only at the end of the file.
 */
export class FitActivities {
  private readonly records: FitRecords
  private readonly points = new ActivityPoints()
  private readonly sessions: FitSession[] = []
  private readonly lengths: RawLength[] = []
  private zones: readonly number[] | undefined
  /** The sport in messages before any session, because a truncated file has no session. */
  private sport: Sport = OTHER_SPORT
  private began: number | undefined

  constructor(developer: FitDeveloperFields) {
    this.records = new FitRecords(developer)
  }

  /** Adds a record message. Returns the reason if it cannot be kept, otherwise undefined. */
  record(message: FitMessage): string | undefined {
    const values = this.records.readPoint(message)
    if (message.timestamp === undefined) return 'a record has no time'
    this.points.add(message.timestamp, values)
    return undefined
  }

  /** Adds a length message. Returns the reason if it cannot be kept, otherwise undefined. */
  length(message: FitMessage): string | undefined {
    const [start, elapsed, strokes] = [message.get(2), message.get(3), message.get(5)]
    if (message.get(12) !== ACTIVE_LENGTH || strokes === undefined) return 'a length has no strokes'
    if (start === undefined || elapsed === undefined) return 'a length has no time'
    if (this.lengths.length === MOST_LENGTHS) throw tooMany(`${MOST_LENGTHS} pool lengths`)
    this.lengths.push({ start, seconds: elapsed / 1000, strokes })
    return undefined
  }

  /** Adds any other message. Messages that are not about workouts are ignored. */
  other(message: FitMessage): void {
    const { number } = message
    if (number === SESSION) {
      const session = fitSession(message)
      if (session === undefined) return
      if (this.sessions.length === MOST_SESSIONS) throw tooMany(`${MOST_SESSIONS} sessions`)
      this.sessions.push(session)
    } else if (number === SPORT) this.sport = fitSport(message.get(0), message.get(1))
    else if (number === LAP && message.get(25) !== undefined) this.sport = fitSport(message.get(25), message.get(39))
    else if (number === TIME_IN_ZONE && message.get(0) === SESSION) this.zones = sixZones(message.list(2))
    else if (number === TIMER_EVENT && message.get(0) === 0 && message.get(1) === 0) this.began ??= message.timestamp
  }

  /** Returns the workouts in order of start. Calls `drop` with the reason and the number of omitted points or lengths. */
  activities(clock: FitClock, problemAt: (ms: EpochMs) => string | undefined, drop: Drop): Activity[] {
    const sessions = this.allSessions().sort((a, b) => a.start - b.start)
    const parts = sessions.map(session => ({ session, points: new ActivityPoints(), lengths: [] as SwimLength[] }))
    /** Returns the last part that has started by this time, otherwise the first part. */
    const partAt = (seconds: number): (typeof parts)[number] | undefined => {
      let [low, high] = [0, parts.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((parts[middle]?.session.start ?? 0) <= seconds) low = middle + 1
        else high = middle
      }
      return parts[Math.max(0, low - 1)]
    }
    const timeAt = (seconds: number, what: string): EpochMs | undefined => {
      const ms = clock.toInstant(seconds)
      const problem = ms === undefined ? NO_DATE : problemAt(ms)
      if (problem === undefined) return ms
      drop(`${what} ${problem}`, 1)
      return undefined
    }
    const { time } = this.points
    for (let i = 0; i < this.points.n; i++) {
      const at = present(time[i], 'a time')
      const ms = timeAt(at, 'a record')
      const part = partAt(at)
      if (ms !== undefined) part?.points.copy(this.points, i, ms)
    }
    for (const { start, seconds, strokes } of this.lengths) {
      const ms = timeAt(start, 'a length')
      const end = ms === undefined ? 0 : ms + Math.round(seconds * SECOND_MS)
      if (ms !== undefined) partAt(start)?.lengths.push({ start: ms, end, strokes })
    }
    return parts.flatMap(({ session, points, lengths }) => {
      const start = clock.toInstant(session.start)
      if (start === undefined || problemAt(start) !== undefined) {
        drop('a record belongs to a workout without a date', points.n + lengths.length)
        return []
      }
      points.sort()
      const stated = Math.round(start + (session.end - session.start) * SECOND_MS)
      const end = Math.max(start, stated, points.time[points.n - 1] ?? start, lengths.at(-1)?.end ?? start)
      const totals = parts.length === 1 ? { hr_zones: this.zones, ...defined(session.stated) } : session.stated
      const { sport, title } = session
      return [{ sport, title, start, end, offset: clock.offset, points, lengths, stated: totals }]
    })
  }

  private allSessions(): FitSession[] {
    const first = this.points.time.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY)
    if (this.sessions.length > 0 || first === Number.POSITIVE_INFINITY) return [...this.sessions]
    const { began } = this
    const isNear = began !== undefined && began <= first && first - began <= MOST_WAIT_SECONDS
    const start = isNear ? began : first
    return [{ sport: this.sport, title: null, start, end: start, stated: {} }]
  }
}

function tooMany(what: string): ServiceError {
  return new ServiceError('invalid_file', `The FIT file contains more than ${what}, which is the limit.`, {
    suggestions: ['Split the file and import its parts one by one.'],
  })
}

export type Drop = (reason: string, count: number) => void

function defined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}
