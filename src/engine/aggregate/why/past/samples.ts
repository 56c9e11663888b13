/** Reconstructs the samples of an earlier time from the present ones, the events and the imports. Changes nothing. */
import { resourceNamed } from '../../../../catalogue/resources.ts'
import { getOrInsert } from '../../../../core/maps.ts'
import type { SampleColumns, SeriesKey } from '../../../../core/sample.ts'
import type { EpochMs } from '../../../../core/time.ts'
import { joinColumns, pickRows, sameRow, sortColumns } from '../../../../store/chunk/columns.ts'
import type { SampleArrival } from '../../../../store/history.ts'
import type { SampleQuery, SeriesSlice } from '../../../../store/sample.ts'
import type { History } from './history.ts'

/** One sample. */
interface Row {
  readonly columns: SampleColumns
  readonly row: number
}

interface Version extends Row {
  readonly arrival: SampleArrival
}

/** What is known about the sample with one key. */
interface Known {
  readonly series: SeriesKey
  present: Row | null
  /** Oldest first. */
  readonly versions: Version[]
  /** What imports replaced, by import. */
  readonly replaced: Map<string, Row>
}

/** Returns the samples of a query at an earlier time, by series. Notes what is not certain. */
export async function pastSamples(history: History, query: SampleQuery): Promise<readonly SeriesSlice[]> {
  const { store, userId, signal } = history.asked
  const name = resourceNamed(query.resource)?.queryName ?? query.resource
  await history.noteRemovals(name, query.resource)
  const deletions = (await history.callsAfter('timeseries.delete', 0)).map(call => call.at)
  for (const deletedAt of deletions)
    if (deletedAt > history.asked.at) history.uncertain.add(deletedAt, 'samples of the user were deleted after it')
  const known = new Map<string, Known>()
  const of = (series: SeriesKey, { columns, row }: Row): Known =>
    getOrInsert(known, keyOf(series, columns, row), () => ({
      series,
      present: null,
      versions: [],
      replaced: new Map(),
    }))
  for await (const { series, columns } of store.samples.scan(userId, query)) {
    for (const each of rowsOf(columns)) of(series, each).present = each
  }
  for (let after: number | null = 0; after !== null; ) {
    const page = await store.history.samples(userId, query, after)
    for (const arrival of page.arrivals)
      for (const each of rowsOf(arrival.columns)) of(arrival.series, each).versions.push({ ...each, arrival })
    signal?.throwIfAborted()
    after = page.next
  }
  for (const { importId, series, columns } of await store.history.replacedSamples(userId, query))
    for (const each of rowsOf(columns)) of(series, each).replaced.set(importId, each)
  const bySeries = new Map<string, { readonly series: SeriesKey; readonly rows: SampleColumns[] }>()
  for (const each of known.values()) {
    const then = versionAt(each, history, name, deletions)
    if (then === null) continue
    const { series } = each
    const rows = pickRows(then.columns, Uint32Array.of(then.row))
    getOrInsert(bySeries, JSON.stringify(series), () => ({ series, rows: [] })).rows.push(rows)
  }
  return [...bySeries.values()].map(({ series, rows }) => ({
    series,
    columns: sortColumns(joinColumns(rows), () => {}),
  }))
}

function* rowsOf(columns: SampleColumns): Generator<Row> {
  for (let row = 0; row < columns.n; row++) yield { columns, row }
}

/** Returns the sample of a key at the time; null if there was none. */
function versionAt(known: Known, history: History, name: string, deletions: readonly EpochMs[]): Row | null {
  const { series, present, versions, replaced } = known
  const { at } = history.asked
  const { provider } = series
  const { uncertain } = history
  const undoneOf = ({ arrival: { importId } }: Version): EpochMs | null =>
    importId === null ? null : (history.imports.find(each => each.importId === importId)?.undoneAt ?? null)
  const isUndoneThen = (version: Version): boolean => {
    const undoneAt = undoneOf(version)
    return undoneAt !== null && undoneAt <= at
  }
  const last = versions.findLast(each => each.arrival.at <= at && !isUndoneThen(each))
  const next = versions.find(each => each.arrival.at > at)
  if (next === undefined && present !== null) {
    const isLast = last !== undefined && sameRow(last.columns, last.row, present.columns, present.row)
    return isLast ? present : silent(present)
  }
  if (next === undefined || next.arrival.isNew) return removedSince(next?.arrival.at ?? Number.POSITIVE_INFINITY)
  if (last !== undefined) {
    if (history.mayBeSilent(provider, name, last.arrival.at, next.arrival.at)) {
      uncertain.add(next.arrival.at, `samples of ${provider} may have been replaced without an event`)
    }
    return last
  }
  const before = replaced.get(next.arrival.importId ?? '') ?? restoredBy(next)
  if (before !== null) return silent(before)
  uncertain.add(next.arrival.at, `samples of ${provider} were replaced after it, and their former values are not kept`)
  return null

  /** Returns the sample if an undone import removed it after the time, and before the next version came; otherwise, there was none. */
  function removedSince(until: EpochMs): Row | null {
    const undone = versions.filter(each => each.arrival.at <= at).flatMap(each => undoneOf(each) ?? [])
    const removals = undone.filter(undoneAt => undoneAt > at && undoneAt <= until)
    if (last === undefined || removals.length === 0) return null
    // nothing says which samples a deletion removed
    if (deletions.some(deletedAt => deletedAt >= last.arrival.at && deletedAt <= at))
      uncertain.add(
        Math.max(...removals),
        'samples of the user were deleted before it, and an import was undone after it',
      )
    return last
  }

  /** Returns what an undone import had replaced: the undo's own event contains it. */
  function restoredBy(version: Version): Row | null {
    const undoneAt = undoneOf(version)
    return undoneAt === null
      ? null
      : (versions.find(each => each.arrival.at === undoneAt && each.arrival.importId === null) ?? null)
  }

  /** Returns a sample of which no event says when it came, if it was certainly there. */
  function silent(row: Row): Row {
    const until = history.silentUntil(provider, name) ?? Number.POSITIVE_INFINITY
    if (until > at) uncertain.add(until, `it is not kept when the store received samples of ${provider}`)
    return row
  }
}

/** Returns a text that is the same for all versions of a sample: its source, app, device, type and start. */
function keyOf({ provider, sourceType, type }: SeriesKey, { start, text }: SampleColumns, row: number): string {
  const named = (name: 'app_id' | 'device_id' | 'type'): string => {
    const column = text.get(name)
    const code = column?.codes[row] ?? 0
    return code === 0 ? '' : (column?.values[code - 1] ?? '')
  }
  return JSON.stringify([provider, sourceType, type, named('app_id'), named('device_id'), named('type'), start[row]])
}
