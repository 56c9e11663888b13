/** Merges the sleep table: versions and parts of a night, the same night in several sources. See docs/interface/merging.md#merging-9. */

import { SLEEP } from '../../../../catalogue/query/sleep.ts'
import { type EpochMs, HOUR_MS, SECOND_MS } from '../../../../core/time.ts'
import type { TimeSlice } from '../../../../core/time-slice.ts'
import type { Comparison } from './clusters.ts'
import type { Corrections } from './corrections.ts'
import { fieldGroup } from './fields.ts'
import { IntervalIndex } from './interval-index.ts'
import { joinedNight } from './joined-night.ts'
import { compareIds, compareTimes, durationText, hasEnds, overlap, type Session, type Version } from './session.ts'
import type { SessionRules } from './session-rules.ts'

const SAME_OVERLAP = 0.5
const ENDS_APART_MS = HOUR_MS
const LONGEST_GAP_MS = HOUR_MS
const LONGEST_SPAN_MS = 16 * HOUR_MS
/** Parts make a night only if they have this much sleep together, and a shorter sleep beside the main sleep is a nap. */
export const NAP_MS = 3 * HOUR_MS

/** Returns the nights of one source: the longest version of each session, and joined parts. */
async function nightsOf(
  sessions: readonly Session[],
  corrections: Corrections,
  slice: TimeSlice,
  signal: AbortSignal | undefined,
): Promise<readonly Session[]> {
  const kept: Kept[] = []
  const index = new IntervalIndex<Kept>()
  for (const session of sessions.filter(hasEnds).sort(longestFirst)) {
    const longer = longerVersion(session, index, corrections)
    if (longer) {
      longer.versions.push({ row: session.row, reason: versionReason(longer.session, session) })
      corrections.join(longer.session, session)
    } else {
      const own = { session, start: session.start, end: session.end, versions: [] }
      kept.push(own)
      index.add(own)
    }
    if (slice.isOver) await slice.rest(signal)
  }
  const counted = kept.map(({ session, versions }) => ({ ...session, versions })).sort(compareTimes)
  const units = declaredNights(counted, corrections)
  const naps = units.filter(({ night }) => isFlaggedNap(night))
  const joined = await joinParts(
    units.filter(unit => !naps.includes(unit)),
    corrections,
    slice,
    signal,
  )
  return [...joined, ...naps.map(({ night }) => night), ...sessions.filter(session => !hasEnds(session))]
}

/** A session that counts, with its earlier versions and repeated parts. */
interface Kept {
  readonly session: Session
  readonly start: EpochMs
  readonly end: EpochMs
  readonly versions: Version[]
}

/** Returns the longest session that contains at least half of this one, or null. One that was declared the same comes first. */
function longerVersion(session: Session, index: IntervalIndex<Kept>, corrections: Corrections): Kept | null {
  // half of it is common, so its middle is too
  const middle = (session.start + session.end) / 2
  const order = (a: Kept, b: Kept): number => {
    const [x, y] = [corrections.areTogether(a.session, session), corrections.areTogether(b.session, session)]
    return Number(y) - Number(x) || longestFirst(a.session, b.session)
  }
  let first: Kept | null = null
  for (const each of index.near({ start: middle, end: middle })) {
    if (overlap(each.session, session) < SAME_OVERLAP || corrections.areApart(each.session, session)) continue
    if (first === null || order(each, first) < 0) first = each
  }
  return first
}

/** The longest session first. Of equally long ones, the last one that was received. */
function longestFirst(a: Session, b: Session): number {
  return b.end - b.start - (a.end - a.start) || b.row.updatedAt - a.row.updatedAt || compareIds(a.row, b.row)
}

function versionReason(longer: Session, session: Session): string {
  return `another version from the same source: ${Math.round(overlap(longer, session) * 100)} % of it overlaps`
}

/** A night that is not compared with others of its source yet, and the sessions that were declared its parts. */
interface Unit {
  readonly night: Session
  readonly parts: Parts
}

type Parts = readonly [Session, ...Session[]]

/** Joins those sessions that were declared the same. `sessions` are in order of time. */
function declaredNights(sessions: readonly Session[], corrections: Corrections): readonly Unit[] {
  if (corrections.isEmpty) return sessions.map(night => ({ night, parts: [night] }))
  const byGroup = new Map<string, [Session, ...Session[]]>()
  for (const session of sessions) {
    const group = byGroup.get(corrections.group(session))
    if (group) group.push(session)
    else byGroup.set(corrections.group(session), [session])
  }
  return [...byGroup.values()].map((parts): Unit => {
    if (parts.length === 1) return { night: parts[0], parts }
    const explained = parts.map(part => {
      const reason = corrections.reason(part)
      return reason === null ? part : { ...part, partReasons: new Map([[part.row.id, reason]]) }
    }) as unknown as Parts // as many as there are parts
    return { night: joinedNight(explained), parts: explained }
  })
}

/** Joins sessions with at most an hour between them if they are a night together. Two naps remain two. */
async function joinParts(
  units: readonly Unit[],
  corrections: Corrections,
  slice: TimeSlice,
  signal: AbortSignal | undefined,
): Promise<readonly Session[]> {
  const nights: Session[] = []
  let joined: Unit[] = []
  let until = 0
  for (const unit of units) {
    const { night } = unit
    const [first] = joined
    const end: EpochMs = first ? Math.max(until, night.end) : night.end
    const isNear = first && night.start - until <= LONGEST_GAP_MS && end - first.night.start <= LONGEST_SPAN_MS
    const isNext = isNear && !joined.some(other => corrections.areApart(other.night, night))
    if (isNext) joined.push(unit)
    else {
      for (const each of asNight(joined, corrections)) nights.push(each)
      joined = [unit]
    }
    until = isNext ? end : night.end
    if (slice.isOver) await slice.rest(signal)
  }
  return [...nights, ...asNight(joined, corrections)]
}

function asNight(units: readonly Unit[], corrections: Corrections): readonly Session[] {
  const [first, ...others] = units
  if (first === undefined || others.length === 0) return units.map(({ night }) => night)
  const parts = units.flatMap(unit => unit.parts).sort(compareTimes) as unknown as Parts // every unit has a part
  const joined = joinedNight(parts)
  if (asleepMs(joined) < NAP_MS) return units.map(({ night }) => night)
  for (const { night } of others) corrections.join(first.night, night)
  return [joined]
}

/** Compares sessions of two sources. They are the same night if they share half of the shorter one, or overlap with both ends near. */
function compareNights(better: Session, other: Session): Comparison {
  const share = overlap(better, other)
  const [starts, ends] = [Math.abs(better.start - other.start), Math.abs(better.end - other.end)]
  return {
    isSame: share >= SAME_OVERLAP || (share > 0 && starts <= ENDS_APART_MS && ends <= ENDS_APART_MS),
    overlap: share,
    reason: () => `overlap ${share.toFixed(2)}, starts ${durationText(starts)} apart, ends ${durationText(ends)} apart`,
  }
}

/** Returns whether the source calls the session a nap. */
export function isFlaggedNap({ row }: Session): boolean {
  return row.document['type'] === 'acknowledged_nap'
}

/** Returns the time asleep or, if that is not known, the time in bed without the time awake. */
export function asleepMs({ row, start, end }: Session): number {
  const { total, duration, awake } = row.document
  // providers that do not report it have 0
  if (typeof total === 'number' && total > 0) return total * SECOND_MS
  const inBed = typeof duration === 'number' ? duration * SECOND_MS : Number.isNaN(end - start) ? 0 : end - start
  return inBed - (typeof awake === 'number' ? awake * SECOND_MS : 0)
}

/** Fields that a night may take from another source. The names are columns. */
const FILLED = [
  'heart_rate_minimum',
  'heart_rate_mean',
  'heart_rate_maximum',
  'heart_rate_dip',
  'heart_rate_resting',
  'hrv_mean_rmssd',
  'hrv_mean_sdnn',
  'skin_temperature',
  'skin_temperature_delta',
  'respiratory_rate',
  'score',
  'recovery_readiness_score',
  'time_zone',
]

export const NIGHTS: SessionRules = {
  ends: ['bedtime_start', 'bedtime_stop'],
  ofSource: nightsOf,
  compare: compareNights,
  compared: [{ column: fieldGroup(SLEEP, 'stage_asleep_second'), unit: 's' }],
  fields: {
    isFull: ({ document }) =>
      ['light', 'rem', 'deep'].some(key => typeof document[key] === 'number' && document[key] > 0),
    groups: FILLED.map(name => fieldGroup(SLEEP, name)),
  },
}
