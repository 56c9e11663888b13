/** Removes data that is no longer in any record. */
import type { EpochMs } from '../../../core/time.ts'
import type { LiveKey } from '../../live/connections.ts'
import type { LiveRecord, LiveWrite } from '../../live/pulls.ts'
import { Touches } from '../continuous/touches.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { Removals } from '../events/removals.ts'
import { LIVE_RECORDS, type LiveRecordRow } from '../rows/tables.ts'
import { removeSamplesAt } from '../samples/restore.ts'
import { seriesKey } from '../samples/series.ts'
import { removeStream, streamRow } from '../samples/streams.ts'
import { removeSummary, summaryRow } from '../samples/summaries.ts'
import { many, type Steps } from '../steps.ts'
import { type Brought, broughtIn } from './brought.ts'

type Starts = ReadonlyMap<number, Iterable<EpochMs>>

/** A new, changed or deleted record. */
export interface RecordChange {
  readonly record: LiveRecord
  /** The record's previous state. */
  readonly former: LiveRecordRow | undefined
  readonly brings: Brought
}

const OVERLAPPING = LIVE_RECORDS.query('WHERE user_id=? AND provider=? AND last_at>=? AND first_at<=?')

/**
 * Removes the data, announces that, and makes the affected continuous queries due. Returns the number of samples, summaries and streams that
 * were removed.
 */
export function* removeFormer(key: LiveKey, write: LiveWrite, changes: readonly RecordChange[]): Steps<number> {
  const formers = changes.flatMap(({ former }) => former ?? [])
  if (formers.length === 0) return 0
  const before = formers.map(broughtIn)
  const now = changes.map(({ brings }) => brings)
  const [touches, removals] = [new Touches(), new Removals()]
  const removed =
    (yield* removeSamples(key, write, { before, now, changes, touches, removals })) +
    (yield* removeDocuments(key, { before, now, touches, removals }))
  yield* touches.settle(write.teamId, key.userId, write.at)
  // a history causes no events before it is complete
  if (!removals.isEmpty && write.events === 'daily') {
    const outbox = yield* OutboxWriter.open(key.userId, write.teamId, write.at)
    yield* removals.announce(outbox, 'provider')
    yield* outbox.finish()
  }
  return removed
}

interface Removing {
  readonly before: readonly Brought[]
  readonly now: readonly Brought[]
  readonly touches: Touches
  readonly removals: Removals
}

function* removeSamples(
  key: LiveKey,
  { collection }: LiveWrite,
  { before, now, changes, touches, removals }: Removing & { readonly changes: readonly RecordChange[] },
): Steps<number> {
  const gone = new Map<number, Set<EpochMs>>()
  for (const { samples } of before) addStarts(gone, samples)
  for (const { samples } of now) withoutStarts(gone, samples)
  const handled = new Set(changes.map(({ record }) => record.id))
  yield* keptElsewhere(key, gone, row => row.collection === collection && handled.has(row.record_id))
  let removed = 0
  for (const [number, some] of gone) {
    if (some.size === 0) continue
    const starts = Float64Array.from(some).sort()
    const series = yield* seriesKey(key.userId, number)
    const n = yield* removeSamplesAt(key.userId, number, starts)
    const [from, to] = [starts[0] as number, starts.at(-1) as number]
    removed += n
    touches.samples(series.resource, from, to)
    removals.samples(number, series, { n, from, to })
  }
  return removed
}

/**
 * Takes the samples that are also in another record out of `gone`, because providers move samples between records. `isHandled` tells the
 * records whose samples are known.
 */
export function* keptElsewhere(
  { userId, provider }: LiveKey,
  gone: ReadonlyMap<number, Set<EpochMs>>,
  isHandled: (row: LiveRecordRow) => boolean,
): Steps<void> {
  const span = coveredSpan(gone)
  if (span === null) return
  for (const row of yield* many(OVERLAPPING, [userId, provider, span.from, span.to])) {
    if (!isHandled(row)) withoutStarts(gone, broughtIn(row).samples)
  }
}

function* removeDocuments({ userId }: LiveKey, { before, now, touches, removals }: Removing): Steps<number> {
  let removed = 0
  const summaries = new Set(now.flatMap(each => each.summaries.map(([kind, id]) => `${kind}/${id}`)))
  const streams = new Set(now.flatMap(each => each.streams))
  for (const [kind, id] of before.flatMap(each => each.summaries)) {
    if (summaries.has(`${kind}/${id}`)) continue
    const row = yield* summaryRow(userId, kind, id)
    if (!row) continue
    touches.summary(kind, row)
    yield* removeSummary(userId, kind, id)
    removals.summary(kind, row)
    removed++
  }
  for (const id of before.flatMap(each => each.streams)) {
    const row = streams.has(id) ? undefined : yield* streamRow(userId, id)
    if (!row) continue
    yield* removeStream(userId, id)
    removals.stream(id, row)
    removed++
  }
  return removed
}

/** Adds starts to those of each series. */
export function addStarts(all: Map<number, Set<EpochMs>>, more: Starts): void {
  for (const [number, starts] of more) {
    const known = all.get(number) ?? new Set()
    all.set(number, known)
    for (const start of starts) known.add(start)
  }
}

/** Removes starts from those of each series. */
export function withoutStarts(all: ReadonlyMap<number, Set<EpochMs>>, less: Starts): void {
  for (const [number, starts] of less) {
    const known = all.get(number)
    if (known) for (const start of starts) known.delete(start)
  }
}

function coveredSpan(all: ReadonlyMap<number, ReadonlySet<EpochMs>>) {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const starts of all.values()) {
    for (const start of starts) {
      from = Math.min(from, start)
      to = Math.max(to, start)
    }
  }
  return from > to ? null : { from, to }
}
