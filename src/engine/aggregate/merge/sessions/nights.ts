/** Merges the sleep table: versions and parts of a night, the same night in several sources. See docs/interface/merging.md#merging-9. */
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../core/time.ts'
import type { TimeSlice } from '../../../../core/time-slice.ts'
import type { Match } from './clusters.ts'
import { IntervalIndex } from './interval-index.ts'
import { joinedNight } from './joined-night.ts'
import { compareIds, compareTimes, hasEnds, overlap, type Session, type Version } from './session.ts'

const SAME_OVERLAP = 0.5
const ENDS_APART_MS = HOUR_MS
const LONGEST_GAP_MS = HOUR_MS
const LONGEST_SPAN_MS = 16 * HOUR_MS
/** A night that is joined from parts has at least this much sleep, and a shorter sleep beside a main sleep is a nap. */
const NAP_MS = 3 * HOUR_MS

/** Returns the nights of one source: the longest version of each session, and joined parts. */
export async function nightsOf(
  sessions: readonly Session[],
  slice: TimeSlice,
  signal: AbortSignal | undefined,
): Promise<readonly Session[]> {
  const kept: Kept[] = []
  const index = new IntervalIndex<Kept>()
  for (const session of sessions.filter(hasEnds).sort(longestFirst)) {
    const longer = longerVersion(session, index)
    if (longer) longer.versions.push({ row: session.row, reason: versionReason(longer.session, session) })
    else {
      const own = { session, start: session.start, end: session.end, versions: [] }
      kept.push(own)
      index.add(own)
    }
    if (slice.isOver) await slice.rest(signal)
  }
  const nights = kept.map(({ session, versions }) => ({ ...session, versions })).sort(compareTimes)
  const joined = await joinParts(
    nights.filter(night => !isFlaggedNap(night)),
    slice,
    signal,
  )
  return [...joined, ...nights.filter(isFlaggedNap), ...sessions.filter(session => !hasEnds(session))]
}

/** A session that counts, with its earlier versions and repeated parts. */
interface Kept {
  readonly session: Session
  readonly start: EpochMs
  readonly end: EpochMs
  readonly versions: Version[]
}

/** Returns the longer session that this one is mostly in. Of several, the longest. */
function longerVersion(session: Session, index: IntervalIndex<Kept>): Kept | null {
  // half of it is common, so its middle is too
  const middle = (session.start + session.end) / 2
  let first: Kept | null = null
  for (const each of index.near({ start: middle, end: middle })) {
    if (overlap(each.session, session) < SAME_OVERLAP) continue
    if (first === null || longestFirst(each.session, first.session) < 0) first = each
  }
  return first
}

/** The longest session first. Of equally long ones, the last one that was received. */
function longestFirst(a: Session, b: Session): number {
  return b.end - b.start - (a.end - a.start) || b.row.updatedAt - a.row.updatedAt || compareIds(a.row, b.row)
}

function versionReason(longer: Session, session: Session): string {
  return `another version from the same source: ${percent(overlap(longer, session))} of it overlaps`
}

/** Joins sessions with at most an hour between them, if together they are a night. Two naps stay two. */
async function joinParts(
  sessions: readonly Session[],
  slice: TimeSlice,
  signal: AbortSignal | undefined,
): Promise<readonly Session[]> {
  const nights: Session[] = []
  let parts: [Session, ...Session[]] | null = null
  let until = 0
  for (const session of sessions) {
    const end: EpochMs = parts === null ? session.end : Math.max(until, session.end)
    const isNext = parts !== null && session.start - until <= LONGEST_GAP_MS && end - parts[0].start <= LONGEST_SPAN_MS
    if (isNext) parts?.push(session)
    else {
      for (const night of asNight(parts)) nights.push(night)
      parts = [session]
    }
    until = isNext ? end : session.end
    if (slice.isOver) await slice.rest(signal)
  }
  return [...nights, ...asNight(parts)]
}

function asNight(parts: readonly [Session, ...Session[]] | null): readonly Session[] {
  if (parts === null || parts.length === 1) return parts ?? []
  const joined = joinedNight(parts)
  return asleepMs(joined) >= NAP_MS ? [joined] : parts
}

/** Returns whether two sessions of different sources are the same night: half of the shorter one overlaps, or both ends are
 * within an hour. */
export function sameNight(better: Session, other: Session): Match | null {
  const share = overlap(better, other)
  const [starts, ends] = [Math.abs(better.start - other.start), Math.abs(better.end - other.end)]
  if (!(share >= SAME_OVERLAP || (share > 0 && starts <= ENDS_APART_MS && ends <= ENDS_APART_MS))) return null
  return {
    overlap: share,
    reason: () => `overlap ${share.toFixed(2)}, starts ${seconds(starts)} apart, ends ${seconds(ends)} apart`,
  }
}

export type Role = 'main_sleep' | 'nap' | 'second_sleep'

/** A night as it is shown, with its floating times. */
export interface Night {
  readonly session: Session
  /** The date of waking, in days. */
  readonly date: number
  readonly start: EpochMs
  readonly end: EpochMs
}

const [MORNING_MS, AFTERNOON_MS] = [3 * HOUR_MS, 15 * HOUR_MS]
const [DAY_BEGINS_MS, DAY_ENDS_MS] = [9 * HOUR_MS, 20 * HOUR_MS]

/** Returns the role of each night on its date of waking. See docs/interface/merging.md#merging-13. */
export function rolesOf(nights: readonly Night[]): readonly Role[] {
  const mains = new Map<number, Night>()
  for (const night of nights) {
    if (isFlaggedNap(night.session) || isShortByDay(night)) continue
    const main = mains.get(night.date)
    if (main === undefined || compareAsMain(night, main) < 0) mains.set(night.date, night)
  }
  return nights.map((night): Role => {
    if (mains.get(night.date) === night) return 'main_sleep'
    return isFlaggedNap(night.session) || asleepMs(night.session) < NAP_MS ? 'nap' : 'second_sleep'
  })
}

/** The main sleep ends in the morning if any does, and is the longest of those. */
function compareAsMain(a: Night, b: Night): number {
  const endsByDay = ({ end }: Night): number => Number(timeOfDay(end) >= MORNING_MS && timeOfDay(end) <= AFTERNOON_MS)
  return endsByDay(b) - endsByDay(a) || asleepMs(b.session) - asleepMs(a.session) || compareTimes(a.session, b.session)
}

function isShortByDay({ session, start }: Night): boolean {
  return asleepMs(session) < NAP_MS && timeOfDay(start) >= DAY_BEGINS_MS && timeOfDay(start) < DAY_ENDS_MS
}

function timeOfDay(at: EpochMs): number {
  return at - Math.floor(at / DAY_MS) * DAY_MS
}

function isFlaggedNap({ row }: Session): boolean {
  return row.document['type'] === 'acknowledged_nap'
}

/** Returns the time asleep, or if it is not known the time in bed. */
function asleepMs({ row, start, end }: Session): number {
  const { total, duration, awake } = row.document
  // providers that do not report it have 0
  if (typeof total === 'number' && total > 0) return total * SECOND_MS
  const inBed = typeof duration === 'number' ? duration * SECOND_MS : Number.isNaN(end - start) ? 0 : end - start
  return inBed - (typeof awake === 'number' ? awake * SECOND_MS : 0)
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** Returns a time apart in words: seconds, or minutes from two minutes on. */
export function seconds(ms: number): string {
  return ms < 2 * MINUTE_MS ? `${Math.round(ms / SECOND_MS)} s` : `${Math.round(ms / MINUTE_MS)} min`
}
