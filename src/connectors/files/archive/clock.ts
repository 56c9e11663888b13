/** Reads the times of an archive's records. Local times get the offset of their own record, or of their day, or of a time zone. */
import {
  type EpochMs,
  formatDate,
  HOUR_MS,
  type IsoDate,
  MINUTE_MS,
  parseDate,
  parseDateTime,
  SECOND_MS,
} from '../../../core/time.ts'
import { floatingIn, instantIn, type RecordTime } from '../../shared/record-time.ts'
import type { ArchiveRun } from './run.ts'

const MOST_OFFSET_MS = 14 * HOUR_MS
/** Maximum number of days whose offsets are kept, enough for more than a lifetime. */
const MOST_DAYS = 40_000
const OF_THE_DAY = 'local times without an offset, which have the offset that another record states for their day'

const DATE_LENGTH = 10
/** The usual form of a time, which is read faster than others. */
const CLOCK = /^T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)Z$/
/** Global, because a date's midnight never changes. Most records are of the same day as the one before. */
let lastDate = ''
let lastMidnight: EpochMs | undefined

export class ArchiveClock {
  private readonly run: ArchiveRun
  private readonly offsets = new Map<IsoDate, number>()
  private readonly inZone: string

  constructor(run: ArchiveRun) {
    this.run = run
    const { timeZone } = run.context
    this.inZone = `local times without an offset, read in ${timeZone ?? 'UTC, because no time zone is set'}`
  }

  /** Learns the offset of a local date, in seconds east of UTC, for records of the day without one. The first one counts. */
  learn(date: IsoDate, offset: number | null): void {
    if (offset === null || this.offsets.has(date) || this.offsets.size >= MOST_DAYS) return
    this.offsets.set(date, offset)
  }

  /** Returns the offset of a local date; null if no record states it. */
  offsetOn(date: IsoDate): number | null {
    return this.offsets.get(date) ?? null
  }

  /** Returns the instant of a local time that has no offset of its own. */
  local(local: EpochMs): RecordTime {
    const offset = this.offsets.get(formatDate(local))
    this.run.notice(offset === undefined ? this.inZone : OF_THE_DAY)
    return floatingIn(local, this.run.context.timeZone, offset)
  }

  /** Returns the instant of an ISO time with an offset, in UTC, or local; undefined if it cannot be read. */
  read(text: string | undefined): RecordTime | undefined {
    const parsed = text === undefined ? undefined : parseDateTime(text)
    if (parsed === undefined) return undefined
    return parsed.offset === 'floating' ? this.local(parsed.local) : instantIn(parsed, null)
  }
}

/**
 * Returns the instant of an ISO time that is UTC although it may not say so; undefined if it cannot be read. `offset` is the local time's.
 */
export function utcTime(text: string | undefined, offset: number | null = null): RecordTime | undefined {
  if (text === undefined) return undefined
  const date = text.slice(0, DATE_LENGTH)
  if (date !== lastDate) {
    lastDate = date
    lastMidnight = parseDate(date)
  }
  const clock = CLOCK.exec(text.slice(DATE_LENGTH))
  if (clock !== null && lastMidnight !== undefined) {
    const [, hour, minute, second] = clock
    return {
      ms: lastMidnight + Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * SECOND_MS,
      offset,
    }
  }
  const parsed = parseDateTime(text)
  if (parsed === undefined) return undefined
  return { ms: instantIn(parsed, null).ms, offset }
}

/** Returns a local time in ISO form as if it were UTC; undefined if it cannot be read or has an offset. */
export function localTime(text: string | undefined): EpochMs | undefined {
  const parsed = text === undefined ? undefined : parseDateTime(text)
  return parsed?.offset === 'floating' ? parsed.local : undefined
}

/** Returns the offset between a local time and its instant, in seconds; null if it is not one. */
export function offsetBetween(local: EpochMs | undefined, instant: EpochMs | undefined): number | null {
  if (local === undefined || instant === undefined) return null
  const offset = local - instant
  // no zone has an offset with seconds
  return Math.abs(offset) <= MOST_OFFSET_MS && offset % (60 * SECOND_MS) === 0 ? offset / SECOND_MS : null
}

/** Returns the seconds of an offset such as `+05:30`, `UTC-0400`, `UTC+05:30`, `Z` or `UTCZ`; null if it is none. */
export function readOffset(text: string | undefined): number | null {
  const [, sign, hours, minutes = '0'] = /^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/i.exec(text?.trim() ?? '') ?? []
  if (sign === undefined) return /^(?:UTC|GMT)?Z$|^(?:UTC|GMT)$/i.test(text?.trim() ?? '') ? 0 : null
  const seconds = Number(hours) * 3600 + Number(minutes) * 60
  if (seconds * SECOND_MS > MOST_OFFSET_MS) return null
  return sign === '-' && seconds > 0 ? -seconds : seconds
}
