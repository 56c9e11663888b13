/** Merges the rows of the timeseries table, time by time. See docs/interface/merging.md. */
import { DAY, type Period, toWindow } from '../calendar.ts'
import type { Row } from '../data.ts'
import type { Item } from '../items.ts'
import { columnName, resourceNamed } from '../resources.ts'
import { compareLists, ranking, type TeamPriority } from './sources.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const AMOUNTS = ['steps', 'workout_duration', 'insulin_injection']
const UNITS: Readonly<Record<string, number>> = { minute: MINUTE, hour: HOUR }

interface Asked {
  readonly anchor: string
  readonly past: Period
  readonly overrides: readonly string[]
  readonly team: readonly TeamPriority[]
}

interface Source {
  /** What decides about the source: first what caller and team say. */
  readonly rank: readonly (number | string)[]
  readonly rows: readonly Row[]
}

interface Time {
  readonly from: number
  readonly to: number
}

const lengthOf = (row: Row): number => endOf(row) - row.instant
const endOf = (row: Row): number => row.end ?? row.instant
const isTotal = (row: Row): boolean => lengthOf(row) >= 20 * HOUR

/** Returns the rows that count, one quantity after the other. */
export function mergeRows(rows: readonly Row[], groupBy: readonly Item[], asked: Asked): readonly Row[] {
  const kindOf = (row: Row) => {
    const resource = resourceNamed(row.resource ?? '')
    const isKey = groupBy.some(
      item => 'timeseries' in item && item.timeseries === resource.name && item.field === 'kind',
    )
    return isKey ? row.cells.get(columnName(resource, 'kind')) : null
  }
  // the store orders samples with equal times by app, device and kind
  const stored = [...rows].sort((a, b) => a.instant - b.instant || compareLists(a.origin ?? [], b.origin ?? []))
  const quantities = groupsOf(stored, row => JSON.stringify([row.resource, row.type, kindOf(row)]))
  const merged = quantities.flatMap(own => {
    const { shape, path } = resourceNamed(own[0]?.resource ?? '')
    const sources = groupsOf(own, row => JSON.stringify(sourceOf(row)))
      .map((each): Source => ({ rank: rankOf(each[0] as Row, asked), rows: each }))
      .sort((a, b) => compareLists(a.rank, b.rank))
    if (shape === 'text') return sources.flatMap(each => each.rows)
    return AMOUNTS.includes(path)
      ? amounts(sources, unitOf(groupBy), toWindow(asked.anchor, asked.past).from)
      : levels(sources)
  })
  return merged.map((row, stored) => ({ ...row, stored }))
}

function sourceOf(row: Row): readonly [string, string, string | null, string | null] {
  return [row.provider, row.sourceType, (row.cells.get('source_app_id') ?? null) as string | null, row.device ?? null]
}

function rankOf(row: Row, { overrides, team }: Asked): readonly (number | string)[] {
  const [type, override, priority, ...names] = ranking(row, overrides, team, 'timeseries') as (number | string)[]
  const [, , app, device] = sourceOf(row)
  const last = (name: string | null) => [Number(name === null), name ?? '']
  return [override as number, priority as number, type as number, ...names, ...last(app), ...last(device)]
}

/** Returns the smallest unit of the group keys, at most a day. */
function unitOf(groupBy: readonly Item[]): number {
  const units = groupBy.map(item =>
    'date_trunc' in item ? (item['date_trunc'] as Period).unit : (item['date_part'] as string),
  )
  return Math.min(DAY, ...units.map(unit => UNITS[unit] ?? DAY))
}

/** `edge` is the beginning of the timeframe, which also divides samples. */
function amounts(sources: readonly Source[], cut: number, edge: number): readonly Row[] {
  const details = sources.map(({ rows }) => rows.filter(row => !isTotal(row)))
  const covered = details.map(rows => bridged(rows.filter(row => lengthOf(row) > 0)))
  const used = usedTotals(sources, details)
  const isReplaced = (at: number) => used.some(row => row.instant <= at && at < endOf(row))
  const edges = [
    ...new Set([
      ...details.flat().flatMap(row => [row.instant, endOf(row)]),
      ...covered.flat().flatMap(({ from, to }) => [from, to]),
    ]),
  ].sort((a, b) => a - b)
  const parts = details.flatMap((rows, s) => {
    const isCovered = (at: number) =>
      covered.slice(0, s).some(times => times.some(({ from, to }) => from <= at && at < to))
    return rows.flatMap((row, r) => {
      if (lengthOf(row) === 0) {
        const isRepeated = details
          .slice(0, s)
          .some(better => better.some(each => lengthOf(each) === 0 && each.instant === row.instant))
        return isCovered(row.instant) || isRepeated ? [] : [part(row, row.instant, row.instant, isReplaced)]
      }
      // between two edges, nothing changes
      const own = edges.filter(at => row.instant <= at && at < endOf(row))
      const isEarlier = (at: number) => rows.slice(0, r).some(each => each.instant <= at && at < endOf(each))
      const times = joined(
        own.flatMap((from, i): Time[] =>
          isCovered(from) || isEarlier(from) ? [] : [{ from, to: own[i + 1] ?? endOf(row) }],
        ),
      )
      return times
        .flatMap(time => divided(time, row.local - row.instant, cut, edge))
        .map(({ from, to }) => part(row, from, to, isReplaced))
    })
  })
  return [...parts, ...used.map(row => (cut === DAY ? row : withoutValue(row)))]
}

/** Returns the time of a source's samples with their short gaps. */
function bridged(rows: readonly Row[]): readonly Time[] {
  const times: Time[] = []
  for (const row of rows) {
    const last = times.at(-1)
    if (last && row.instant - last.to <= 15 * MINUTE)
      times[times.length - 1] = { from: last.from, to: Math.max(last.to, endOf(row)) }
    else times.push({ from: row.instant, to: endOf(row) })
  }
  return times
}

/** Returns the times in any of these, without overlaps. */
function union(times: readonly Time[]): readonly Time[] {
  const all: Time[] = []
  for (const time of [...times].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last && last.to >= time.from) all[all.length - 1] = { from: last.from, to: Math.max(last.to, time.to) }
    else all.push(time)
  }
  return all
}

function joined(times: readonly Time[]): readonly Time[] {
  const all: Time[] = []
  for (const time of times) {
    const last = all.at(-1)
    if (last && last.to === time.from) all[all.length - 1] = { from: last.from, to: time.to }
    else all.push(time)
  }
  return all
}

function divided({ from, to }: Time, shift: number, cut: number, edge: number): readonly Time[] {
  const next = (Math.floor((from + shift) / cut) + 1) * cut - shift
  const cuts = [next, edge - shift].filter(at => from < at && at < to)
  if (cuts.length === 0) return [{ from, to }]
  const end = Math.min(...cuts)
  return [{ from, to: end }, ...divided({ from: end, to }, shift, cut, edge)]
}

function part(row: Row, from: number, to: number, isReplaced: (at: number) => boolean): Row {
  const resource = resourceNamed(row.resource ?? '')
  const value = row.cells.get(columnName(resource, 'value')) as number
  const share = to - from === lengthOf(row) ? 1 : (to - from) / lengthOf(row)
  const timed = { ...row, local: from + row.local - row.instant, instant: from, end: to }
  if (isReplaced(from)) return withoutValue(timed)
  const cells = new Map(row.cells)
  cells.set(columnName(resource, 'value'), value * share).set(columnName(resource, 'duration'), (to - from) / 1000)
  return { ...timed, cells }
}

function withoutValue(row: Row): Row {
  const resource = resourceNamed(row.resource ?? '')
  const cells = new Map(row.cells).set(columnName(resource, 'value'), null).set(columnName(resource, 'duration'), null)
  return { ...row, cells }
}

/** Returns the totals that count. */
function usedTotals(sources: readonly Source[], details: readonly (readonly Row[])[]): readonly Row[] {
  const used: Row[] = []
  for (const { rank, rows } of sources) {
    for (const row of rows.filter(isTotal)) {
      const within = (from: number, to: number) => (each: Row) =>
        each.instant < to && Math.max(endOf(each), each.instant + 1) > from
      const finer = sources.filter((_, s) => (details[s] as readonly Row[]).some(within(row.instant, endOf(row))))
      const isFirst = finer.every(each => compareLists(rank.slice(0, 2), each.rank.slice(0, 2)) < 0)
      const hours = Array.from({ length: Math.ceil(lengthOf(row) / HOUR) }, (_, hour) => row.instant + hour * HOUR)
      const busy = hours.filter(from => details.flat().some(within(from, Math.min(endOf(row), from + HOUR))))
      const taken = union(used.map(each => ({ from: each.instant, to: endOf(each) })))
      const shared = taken.reduce(
        (sum, { from, to }) => sum + Math.max(0, Math.min(to, endOf(row)) - Math.max(from, row.instant)),
        0,
      )
      if ((isFirst || busy.length * 4 < hours.length) && shared * 2 < lengthOf(row)) used.push(row)
    }
  }
  return used
}

function levels(sources: readonly Source[]): readonly Row[] {
  const dayOf = (row: Row) => Math.floor(row.local / DAY)
  const hours = (rows: readonly Row[]) => new Set(rows.map(row => Math.floor(row.local / HOUR))).size
  const days = new Set(sources.flatMap(({ rows }) => rows.map(dayOf)))
  const winners = new Map(
    [...days].map(day => {
      const counts = sources.map(({ rows }) => hours(rows.filter(row => dayOf(row) === day)))
      return [day, counts.findIndex(count => count > 0 && count * 2 >= Math.max(...counts))]
    }),
  )
  return sources.flatMap(({ rows }, s) => rows.filter(row => winners.get(dayOf(row)) === s))
}

function groupsOf<T>(list: readonly T[], nameOf: (each: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>()
  for (const each of list) groups.set(nameOf(each), [...(groups.get(nameOf(each)) ?? []), each])
  return [...groups.values()]
}
