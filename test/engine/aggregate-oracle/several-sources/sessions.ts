/** Merges the rows of the sleep and workout tables. See docs/interface/merging.md. */
import { DAY, printDate, readTime, toWindow } from '../calendar.ts'
import type { Kind, PlainData, PlainSummary, Row, Value } from '../data.ts'
import type { Asked } from '../oracle.ts'
import { type FindHypnogram, hypnogramsIn, summaryRow } from '../rows.ts'
import { kindOfEnergy, wallClock } from '../tables.ts'
import { DeclaredGroups } from './declared.ts'
import { compareLists, ranking } from './sources.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** The columns of merged rows. */
export const MERGED_KINDS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  sleep: { role: 'text', members: 'int', sources: 'text', filled_from: 'text' },
  workout: { members: 'int', sources: 'text', filled_from: 'text' },
}

/** A night or workout of one source. */
interface Session {
  readonly shown: PlainSummary
  /** Of all stored sessions that it consists of, versions included. */
  readonly ids: readonly string[]
  /** Null if it has no ends, or is longer than a day. */
  readonly time: readonly [from: number, to: number] | null
  readonly parts: readonly PlainSummary[]
  /** Number of stored sessions. */
  readonly members: number
}

interface Cluster {
  readonly head: Session
  readonly others: Session[]
}

/** Returns whether a row is near enough to the timeframe. */
export function isNear({ summary }: Row, { anchor, past }: Pick<Asked, 'anchor' | 'past'>): boolean {
  const { from, to } = toWindow(anchor, past)
  const date = summary?.date ?? ''
  return date >= printDate(from - 2 * DAY) && date <= printDate(to + 2 * DAY)
}

/** Returns the merged rows, with the naps or without them. */
export function mergeSessions(
  data: PlainData,
  rows: readonly Row[],
  table: string,
  withNaps: boolean,
  asked: Asked,
): readonly Row[] {
  const zone = data.zone ?? 'UTC'
  const isSleep = table === 'sleep'
  const bySource = new Map<string, PlainSummary[]>()
  for (const { summary } of rows as readonly { readonly summary: PlainSummary }[]) {
    const name = JSON.stringify(namesOf(summary))
    bySource.set(name, [...(bySource.get(name) ?? []), summary])
  }
  const ranked = [...bySource.values()].sort((a, b) =>
    compareLists(rankOf(a[0] as PlainSummary, table, asked), rankOf(b[0] as PlainSummary, table, asked)),
  )
  const stored = ranked.map(own => own.map(each => toSession(each, isSleep)).sort(byTime))
  const groups = new DeclaredGroups(data.corrections ?? [], stored.flat())
  const sources = isSleep ? stored.map(sessions => nightsIn(sessions, groups)) : stored
  const clusters = findClusters(sources, isSleep ? sameNight : sameWorkout, groups)
  const results = clusters.map(cluster => resolved(cluster, isSleep))
  const roles = isSleep ? rolesOf(results, zone) : results.map(() => null)
  const hypnograms = hypnogramsIn(data)
  return results.flatMap(({ winner, document, filled }, i) => {
    if (roles[i] === 'nap' && !withNaps) return []
    const { head, others } = clusters[i] as Cluster
    const shown = { ...winner.shown, document }
    const hypnogram: FindHypnogram = () => joinedHypnogram(winner, hypnograms)
    const all = [head, ...others]
    const merged: Record<string, Value> = {
      role: roles[i] ?? null,
      members: all.reduce((sum, { members }) => sum + members, 0),
      sources: [...new Set(all.map(sourceName))].join(', '),
      filled_from: filled.length === 0 ? null : filled.join('; '),
    }
    const lent = filled.find(each => /[ :]calories(?:,|$)/.test(each))
    if (!isSleep && lent !== undefined) merged['calories_kind'] = kindOfEnergy(lent.split(' ')[0] ?? '')
    return summaryRow(shown, table, zone, i, hypnogram).map(row => ({
      ...row,
      cells: new Map([...row.cells, ...Object.entries(merged)]),
    }))
  })
}

const namesOf = ({ provider, sourceType, appId, deviceId }: PlainSummary) => [provider, sourceType, appId, deviceId]
const sourceName = ({ shown }: Session): string => `${shown.provider} ${shown.sourceType}`

function rankOf(summary: PlainSummary, table: string, { overrides, team }: Asked): readonly (number | string)[] {
  const [type, override, priority, ...names] = ranking(summary, overrides, team, table) as (number | string)[]
  const last = (name: string | null) => [Number(name === null), name ?? '']
  return [
    ...[override, priority, type, ...names].map(each => each as number | string),
    ...last(summary.appId),
    ...last(summary.deviceId),
  ]
}

function toSession(shown: PlainSummary, isSleep: boolean): Session {
  const [from, to] = (isSleep ? ['bedtime_start', 'bedtime_stop'] : ['time_start', 'time_end']).map(name => {
    const time = readTime(shown.document[name] as string)
    return time === null ? Number.NaN : time.wall - (time.offsetSec ?? 0) * 1000
  }) as [number, number]
  return {
    ...{ shown, ids: [shown.id], time: to > from && to - from <= DAY ? ([from, to] as const) : null },
    ...{ parts: [shown], members: 1 },
  }
}

function byTime(a: Session, b: Session): number {
  const key = ({ shown, time }: Session) => [Number(time === null), ...(time ?? [0, 0]), shown.id]
  return compareLists(key(a), key(b))
}

const lengthOf = ({ time }: Session): number => (time === null ? 0 : time[1] - time[0])

function common(a: Session, b: Session): number {
  if (a.time === null || b.time === null) return 0
  return Math.max(0, Math.min(a.time[1], b.time[1]) - Math.max(a.time[0], b.time[0]))
}

/** The nights of one source. */
function nightsIn(sessions: readonly Session[], groups: DeclaredGroups): readonly Session[] {
  const counted = withoutVersions(sessions, groups)
  const units: Session[][] = []
  for (const session of counted) {
    const unit = units.find(([first]) => first && groups.areTogether(first, session))
    if (unit) unit.push(session)
    else units.push([session])
  }
  const isNapUnit = (unit: readonly Session[]) => isNap(joined(unit))
  return [
    ...joinParts(
      units.filter(unit => !isNapUnit(unit)),
      groups,
    ),
    ...units.filter(isNapUnit).map(joined),
  ]
}

function withoutVersions(sessions: readonly Session[], groups: DeclaredGroups): readonly Session[] {
  const kept: Session[] = []
  const order = ({ shown, time }: Session) => [
    Number(time === null),
    time ? time[0] - time[1] : 0,
    -shown.updatedMs,
    shown.id,
  ]
  for (const session of [...sessions].sort((a, b) => compareLists(order(a), order(b)))) {
    const longer = kept.filter(
      each =>
        lengthOf(session) > 0 && common(each, session) * 2 >= lengthOf(session) && !groups.mustBeApart(each, session),
    )
    const version = longer.find(each => groups.areTogether(each, session)) ?? longer[0]
    if (version === undefined) {
      kept.push(session)
      continue
    }
    groups.put(version, session)
    const whole = { ...version, members: version.members + 1, ids: [...version.ids, ...session.ids] }
    kept[kept.indexOf(version)] = whole
  }
  return kept.sort(byTime)
}

const isNap = ({ shown }: Session): boolean => shown.document['type'] === 'acknowledged_nap'

/** Joins nights that follow each other. Each consists of the sessions that were declared its parts. */
function joinParts(units: readonly (readonly Session[])[], groups: DeclaredGroups): readonly Session[] {
  const nights: (readonly Session[])[][] = []
  for (const unit of units) {
    const whole = joined(unit)
    const before = nights.at(-1) ?? []
    const known = before.map(joined)
    const fits =
      known.length > 0 &&
      [whole, ...known].every(({ time }) => time !== null) &&
      startOf(whole) - Math.max(...known.map(endOf)) <= HOUR &&
      Math.max(...known.map(endOf), endOf(whole)) - startOf(known[0] as Session) <= 16 * HOUR &&
      !known.some(each => groups.mustBeApart(each, whole))
    if (fits) before.push(unit)
    else nights.push([unit])
  }
  return nights.flatMap(own => {
    const night = joined(own.flat().sort(byTime))
    if (own.length === 1) return [night]
    if (asleep(night) < 3 * HOUR) return own.map(joined)
    for (const other of own.slice(1)) groups.put(joined(own[0] as readonly Session[]), joined(other))
    return [night]
  })
}

const startOf = ({ time }: Session): number => time?.[0] ?? Number.NaN
const endOf = ({ time }: Session): number => time?.[1] ?? Number.NaN

function joined(parts: readonly Session[]): Session {
  if (parts.length === 1) return parts[0] as Session
  const end = Math.max(...parts.map(endOf))
  const last = parts.find(part => endOf(part) === end) as Session
  const longest = parts.find(part => lengthOf(part) === Math.max(...parts.map(lengthOf))) as Session
  const first = parts[0] as Session
  const read = (part: Session, name: string) => {
    const value = part.shown.document[name]
    return typeof value === 'number' ? value : null
  }
  const known = (name: string) => parts.flatMap(part => read(part, name) ?? [])
  const document: Record<string, unknown> = { ...longest.shown.document }
  for (const name of ['duration', 'total', 'awake', 'light', 'rem', 'deep', 'stage_unknown_second']) {
    const values = parts.map((part, i) => {
      const value = read(part, name)
      const covered = Math.max(0, ...parts.slice(0, i).map(earlier => common(earlier, part)))
      return value === null ? null : value * (1 - covered / lengthOf(part))
    })
    document[name] = values.includes(null) ? null : values.reduce<number>((sum, value) => sum + (value as number), 0)
  }
  const means = ['hr_average', 'average_hrv', 'hrv_mean_sdnn', 'respiratory_rate', 'skin_temperature']
  for (const name of [...means, 'temperature_delta', 'efficiency']) {
    const own = parts.filter(part => read(part, name) !== null)
    const sum = own.reduce((all, part) => all + (read(part, name) as number) * lengthOf(part), 0)
    document[name] = own.length === 0 ? null : sum / own.reduce((all, part) => all + lengthOf(part), 0)
  }
  document['hr_lowest'] = known('hr_lowest').length === 0 ? null : Math.min(...known('hr_lowest'))
  const highest = known('heart_rate_maximum')
  document['heart_rate_maximum'] = highest.length === 0 ? null : Math.max(...highest)
  document['latency'] = first.shown.document['latency']
  document['bedtime_start'] = first.shown.document['bedtime_start']
  document['bedtime_stop'] = last.shown.document['bedtime_stop']
  const { atMs, date, offsetSec } = last.shown
  return {
    shown: { ...longest.shown, atMs, date, offsetSec, document },
    ids: parts.flatMap(({ ids }) => ids),
    time: [startOf(first), end],
    parts: parts.map(({ shown }) => shown),
    members: parts.reduce((sum, { members }) => sum + members, 0),
  }
}

function findClusters(
  sources: readonly (readonly Session[])[],
  isSame: (a: Session, b: Session) => boolean,
  groups: DeclaredGroups,
): readonly Cluster[] {
  let clusters: Cluster[] = []
  for (const sessions of sources) {
    const added: Cluster[] = []
    for (const session of [...sessions].sort(byTime)) {
      const declared = [...clusters, ...added].find(({ head }) => groups.areTogether(head, session))
      if (declared) {
        declared.others.push(session)
        continue
      }
      const fitting = clusters.filter(
        ({ head }) =>
          head.time !== null && session.time !== null && isSame(head, session) && !groups.mustBeApart(head, session),
      )
      const share = ({ head }: Cluster) => common(head, session) / Math.min(lengthOf(head), lengthOf(session))
      const most = Math.max(...fitting.map(share))
      const own = fitting.find(each => share(each) === most)
      if (own) {
        own.others.push(session)
        groups.put(own.head, session)
      } else added.push({ head: session, others: [] })
    }
    clusters = [...clusters, ...added].sort((a, b) => byTime(a.head, b.head))
  }
  return clusters
}

function sameNight(a: Session, b: Session): boolean {
  if (common(a, b) * 2 >= Math.min(lengthOf(a), lengthOf(b))) return true
  const areNear = Math.abs(startOf(a) - startOf(b)) <= HOUR && Math.abs(endOf(a) - endOf(b)) <= HOUR
  return common(a, b) > 0 && areNear
}

const FAMILIES = [
  ['running', 'treadmill_running', 'trail_running', 'track_and_field', 'wheelchair_run_pace'],
  [
    'cycling',
    'indoor_cycling',
    'mountain_biking',
    'gravel_cycling',
    'electric_cycling',
    'virtual_ride',
    'hand_cycling',
  ],
]

function sameWorkout(a: Session, b: Session): boolean {
  const [shorter, longer] = [lengthOf(a), lengthOf(b)].sort((x, y) => x - y) as [number, number]
  const [x, y] = [a, b].map(({ shown }) => (shown.document['sport'] as { slug?: string } | null | undefined)?.slug)
  const isAny = [x, y].some(sport => sport === undefined || sport === 'other')
  const isFamily = FAMILIES.some(family => family.includes(x ?? '') && family.includes(y ?? ''))
  return (
    Math.abs(startOf(a) - startOf(b)) <= 10 * MINUTE &&
    common(a, b) / shorter >= 0.7 &&
    shorter / longer >= 0.8 &&
    (isAny || x === y || isFamily)
  )
}

const NIGHT_FIELDS: readonly (readonly [string, ...string[]])[] = [
  ['heart_rate_minimum', 'hr_lowest'],
  ['heart_rate_mean', 'hr_average'],
  ['heart_rate_maximum', 'heart_rate_maximum'],
  ['heart_rate_dip', 'hr_dip'],
  ['heart_rate_resting', 'hr_resting'],
  ['hrv_mean_rmssd', 'average_hrv'],
  ['hrv_mean_sdnn', 'hrv_mean_sdnn'],
  ['skin_temperature', 'skin_temperature'],
  ['skin_temperature_delta', 'temperature_delta'],
  ['respiratory_rate', 'respiratory_rate'],
  ['score', 'score'],
  ['recovery_readiness_score', 'recovery_readiness_score'],
  ['time_zone', 'time_zone'],
]
const WORKOUT_FIELDS: typeof NIGHT_FIELDS = [
  ['gps', 'distance', 'average_speed', 'max_speed', 'total_elevation_gain', 'elev_high', 'elev_low', 'map'],
  ['heart_rate', 'average_hr', 'heart_rate_minimum', 'max_hr', 'hr_zones'],
  ['power', 'device_watts', 'average_watts', 'max_watts', 'weighted_average_watts'],
  ['duration_active_second', 'moving_time'],
  ['calories', 'calories'],
  ['steps', 'steps'],
  ['title', 'title'],
  ['time_zone', 'time_zone'],
]

/** Returns the values of a cluster, and what came from which other source. */
function resolved({ head, others }: Cluster, isSleep: boolean) {
  const all = [head, ...others]
  const hasStages = ({ shown }: Session) => ['light', 'rem', 'deep'].some(name => (shown.document[name] as number) > 0)
  const longest = Math.max(...all.map(lengthOf))
  const able = all.filter(each => lengthOf(each) * 2 >= longest)
  const winner = ((isSleep ? able.find(hasStages) : undefined) ?? able[0]) as Session
  const document = { ...winner.shown.document }
  const lent = new Map<Session, string[]>()
  for (const [name, ...keys] of isSleep ? NIGHT_FIELDS : WORKOUT_FIELDS) {
    const lender = [winner, ...all].find(({ shown }) => keys.some(key => isTold(shown.document[key])))
    if (lender === undefined || lender === winner) continue
    for (const key of keys) document[key] = lender.shown.document[key]
    lent.set(lender, [...(lent.get(lender) ?? []), name])
  }
  return { winner, document, filled: [...lent].map(([from, names]) => `${sourceName(from)}: ${names.join(', ')}`) }
}

function isTold(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isTold)
  return value !== null && value !== undefined
}

function asleep({ shown, time }: Session): number {
  const number = (name: string) => (typeof shown.document[name] === 'number' ? (shown.document[name] as number) : null)
  const inBed = (number('duration') ?? (time === null ? 0 : (time[1] - time[0]) / 1000)) - (number('awake') ?? 0)
  return (number('total') || inBed) * 1000
}

function rolesOf(results: readonly { readonly winner: Session }[], zone: string): readonly string[] {
  const nights = results.map(({ winner }) => {
    const { offsetSec, atMs } = winner.shown
    const end = wallClock(atMs, offsetSec, zone)
    const clock = (at: number) => (((at % DAY) + DAY) % DAY) / HOUR
    const startsAt = winner.time === null ? Number.NaN : clock(wallClock(winner.time[0], offsetSec, zone))
    const isByDay = startsAt >= 9 && startsAt < 20
    return {
      ...{ winner, date: printDate(end), isShort: asleep(winner) < 3 * HOUR, isByDay },
      isMorning: clock(end) >= 3 && clock(end) <= 15,
    }
  })
  const mains = new Set(
    [...new Set(nights.map(({ date }) => date))].map(date => {
      const able = nights.filter(each => each.date === date && !isNap(each.winner) && !(each.isShort && each.isByDay))
      const first = able.some(each => each.isMorning) ? able.filter(each => each.isMorning) : able
      const most = Math.max(...first.map(({ winner }) => asleep(winner)))
      return first.filter(({ winner }) => asleep(winner) === most).sort((a, b) => byTime(a.winner, b.winner))[0]
    }),
  )
  return nights.map(each => {
    if (mains.has(each)) return 'main_sleep'
    return each.isShort || isNap(each.winner) ? 'nap' : 'second_sleep'
  })
}

function joinedHypnogram({ time, parts }: Session, stored: FindHypnogram) {
  if (parts.length === 1) return stored(parts[0] as PlainSummary)
  const segments = parts.flatMap(part => {
    const start = readTime(part.document['bedtime_start'] as string) as NonNullable<ReturnType<typeof readTime>>
    const shift = (start.wall - (start.offsetSec ?? 0) * 1000 - (time?.[0] ?? 0)) / 1000
    const own = stored(part)
    if (own === null) return []
    return own.map(each => ({ ...each, start: each.start + shift, end: each.end + shift }))
  })
  return segments.length === 0 ? null : segments
}
