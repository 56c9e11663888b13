/** Writes a user's data in the caller's transaction: token, connections, samples, summaries and the events that they cause. */
import { dailyCreated, dailyUpdated, historicalCreated } from '../../../catalogue/event-types.ts'
import type { UserId } from '../../../core/ids.ts'
import { type SampleBatch, type SummaryRecord, startAt } from '../../../core/sample.ts'
import type { StreamRecord } from '../../../core/stream.ts'
import type {
  DataWrite,
  SampleCounts,
  SpooledData,
  SummaryCounts,
  WriteOutcome,
  WriteReport,
} from '../../data-write.ts'
import { expectedQueries } from '../continuous/queries.ts'
import { Touches } from '../continuous/touches.ts'
import { eventResource, expectedOwner, OutboxWriter } from '../events/outbox.ts'
import { expectedRecipients } from '../events/recipients.ts'
import { Removals } from '../events/removals.ts'
import { ImportJournal } from '../imports/imports.ts'
import { linkLive, unlinkLive } from '../live/links.ts'
import { addCount, command, type Expected, expect, run, type Steps } from '../steps.ts'
import { withinKnownQuota } from '../teams/stored-bytes.ts'
import { connect } from '../users/connections.ts'
import { NamedDevices } from '../users/devices.ts'
import { PullTally } from '../users/pulls.ts'
import { expectedChunks } from './chunks.ts'
import { originName, originsOf } from './origins.ts'
import { expectedSeries, lastNumber } from './series.ts'
import { type StreamOutcome, writeStream } from './streams.ts'
import { type SummaryOutcome, writeSummary } from './summaries.ts'
import { type BatchOutcome, type RowGuard, writeBatch } from './writer.ts'

/** Name for workout streams in event types and reports. */
export const WORKOUT_STREAM = 'workout_stream'

/** Adds up the results for samples, summaries and streams. */
export class ReportBuilder {
  readonly stored: Record<string, SampleCounts> = {}
  readonly summaries: Record<string, SummaryCounts> = {}
  readonly streams: SummaryCounts = { created: 0, updated: 0, unchanged: 0 }

  addSamples(resource: string, counts: SampleCounts): void {
    const sum = this.stored[resource] ?? { samples: 0, replaced: 0, unchanged: 0 }
    this.stored[resource] = sum
    sum.samples += counts.samples
    sum.replaced += counts.replaced
    sum.unchanged += counts.unchanged
  }

  addSummary(kind: string, outcome: keyof SummaryCounts): void {
    const sum = this.summaries[kind] ?? { created: 0, updated: 0, unchanged: 0 }
    this.summaries[kind] = sum
    sum[outcome]++
  }

  report(): WriteReport {
    return { stored: this.stored, summaries: this.summaries, streams: this.streams }
  }
}

/** The source of batches and summaries: memory, or a scratch file that is read while it is merged. */
export interface DataSource {
  batches(): Iterable<SampleBatch>
  summaries(): Iterable<SummaryRecord>
  streams(): Iterable<StreamRecord>
  /** Called with the result of each batch. A scratch file uses it to correct its counts of duplicates. */
  written?(batch: SampleBatch, outcome: BatchOutcome, report: ReportBuilder): void
  summaryWritten?(summary: SummaryRecord, outcome: SummaryOutcome): void
  streamWritten?(stream: StreamRecord, outcome: StreamOutcome): void
  /** Present for a remap. */
  readonly guard?: WriteGuard
}

/** Decides for a remap which of the data is written, and removes what is no longer made of it. */
export interface WriteGuard extends RowGuard {
  summary(summary: SummaryRecord): Steps<boolean>
  stream(stream: StreamRecord): Steps<boolean>
  /** Called after the data was written, in the same transaction. */
  finish(change: RemapChange): Steps<void>
}

/** What a remap's removals are recorded in. */
export interface RemapChange {
  readonly journal: ImportJournal
  readonly outbox: OutboxWriter
  readonly touches: Touches
  readonly removals: Removals
}

export type WriteContext = Omit<DataWrite, keyof SpooledData>

/** Stores a write's data in one transaction. Throws the same errors as `writeData`. */
export function* writeHeld(userId: UserId, write: DataWrite): Steps<WriteOutcome> {
  yield* expect(() => initialQueries(userId, write))
  return yield* writeData(userId, write, {
    batches: () => write.batches,
    summaries: () => write.summaries,
    streams: () => write.streams,
  })
}

/** Returns the queries that a write runs before it changes anything. */
function initialQueries(userId: UserId, { teamId, batches }: DataWrite): Expected[] {
  const expected = [expectedOwner(userId), expectedRecipients(teamId), expectedQueries(teamId)]
  const known = new Set<string>()
  for (const batch of batches) {
    const { n, series, start } = batch
    const name = JSON.stringify(series)
    if (n === 0) continue
    for (const origin of originsOf(batch)) {
      const own = `${name}\n${originName(origin)}`
      // a series' second batch would find the rows of the first one
      if (known.has(own)) continue
      known.add(own)
      expected.push(expectedSeries(userId, series, origin))
      const number = lastNumber(userId, series, origin)
      if (number !== undefined) expected.push(...expectedChunks(userId, number, start))
    }
  }
  return expected
}

/**
 * Writes data. Throws ServiceError `user_not_found` if the user was deleted in the meantime (nothing may follow a deletion), and
 * `quota_exceeded` if the team would exceed its storage limit.
 */
export function* writeData(userId: UserId, context: WriteContext, source: DataSource): Steps<WriteOutcome> {
  const outbox = yield* OutboxWriter.open(userId, context.teamId, context.at, context.importing !== null)
  const write = (): Steps<WriteOutcome> => writeAll(outbox, userId, context, source)
  // data from a connection is never refused, because no caller would see the error
  const isByItself = context.pull?.kind === 'refresh' || context.completed !== undefined
  return isByItself ? yield* write() : yield* withinKnownQuota(userId, outbox.use, write)
}

const CONSUME_TOKEN = command(
  'UPDATE link_token SET consumed_at=?, pending=NULL WHERE user_id=? AND hash=? AND consumed_at IS NULL',
)

function* writeAll(
  outbox: OutboxWriter,
  userId: UserId,
  context: WriteContext,
  source: DataSource,
): Steps<WriteOutcome> {
  outbox.requireActive()
  if (context.consumeToken !== null) {
    const changed = yield* run(CONSUME_TOKEN, [context.at, userId, context.consumeToken])
    if (changed === 0) return { kind: 'token_consumed' }
  }
  const journal = context.importing && new ImportJournal(userId, context.importing)
  const report = new ReportBuilder()
  const touches = new Touches()
  const historical = new Set<string>()
  const devices = new NamedDevices()
  const { guard } = source
  const pulled = context.pull && new PullTally()
  const daily = context.events.kind === 'daily'
  let stored = 0
  for (const each of context.connections) {
    const isNew = yield* connect(each, outbox)
    if (isNew && journal) yield* journal.connected(each.provider)
    if (each.link) yield* linkTokenSet(userId, each.provider, context)
  }
  for (const batch of source.batches()) {
    if (batch.n === 0) continue
    devices.samples(batch)
    const name = eventResource(batch.series.resource)
    const { resource } = batch.series
    if (!daily) historical.add(name)
    const outcomes = yield* writeBatch(userId, batch, guard)
    const changed = outcomes.reduce((sum, { created, updated }) => sum + created.n + updated.n, 0)
    stored += changed
    pulled?.samples(batch, changed)
    for (const outcome of outcomes) {
      const { seriesId, created, packed, updated } = outcome
      report.addSamples(resource, outcome)
      source.written?.(batch, outcome, report)
      if (journal) yield* journal.samples(seriesId, outcome.before)
      for (const rows of [created, updated]) {
        if (rows.n > 0) touches.samples(resource, startAt(rows, 0), startAt(rows, rows.n - 1))
      }
      if (!daily) continue
      yield* outbox.samples(dailyCreated(name), { seriesId, resource }, created, packed)
      yield* outbox.samples(dailyUpdated(name), { seriesId, resource }, updated)
    }
  }
  if (stored > 0) yield* addCount({ teamId: context.teamId, name: 'samples', subject: '', n: stored })
  for (const summary of source.summaries()) {
    const { kind, id } = summary
    if (guard && !(yield* guard.summary(summary))) continue
    const outcome = yield* writeSummary(userId, summary, context.at)
    report.addSummary(kind, outcome.kind)
    source.summaryWritten?.(summary, outcome)
    devices.summary(summary)
    pulled?.document(kind, summary.at, outcome.kind !== 'unchanged')
    if (outcome.kind !== 'unchanged') {
      if (journal) yield* journal.summary(kind, id, outcome)
      touches.summary(kind, outcome.before)
      const { at, date, document } = summary
      touches.summary(kind, { at, date, document, updated_at: outcome.version })
    }
    if (!daily) historical.add(kind)
    else if (outcome.kind !== 'unchanged') {
      const type = outcome.kind === 'created' ? dailyCreated(kind) : dailyUpdated(kind)
      yield* outbox.document(type, { ...outcome.row, kind, document: summary.document })
    }
  }
  for (const stream of source.streams()) {
    if (guard && !(yield* guard.stream(stream))) continue
    const outcome = yield* writeStream(userId, stream, context.at)
    report.streams[outcome.kind]++
    source.streamWritten?.(stream, outcome)
    pulled?.document(WORKOUT_STREAM, stream.at, outcome.kind !== 'unchanged')
    if (outcome.kind !== 'unchanged' && journal) yield* journal.stream(stream.workoutId, outcome)
    if (!daily) historical.add(WORKOUT_STREAM)
    else if (outcome.kind !== 'unchanged') {
      const type = outcome.kind === 'created' ? dailyCreated(WORKOUT_STREAM) : dailyUpdated(WORKOUT_STREAM)
      yield* outbox.document(type, shallow(stream))
    }
  }
  if (guard && journal) {
    const removals = new Removals()
    yield* guard.finish({ journal, outbox, touches, removals })
    yield* removals.announce(outbox, 'remapped')
  }
  if (context.events.kind === 'historical') {
    const { provider, from, to } = context.events
    for (const name of [...historical].sort()) {
      yield* outbox.document(historicalCreated(name), { provider, start_date: from, end_date: to })
    }
  }
  for (const { resource, from, to } of context.completed ?? []) {
    const provider = context.pull?.provider
    yield* outbox.document(historicalCreated(resource), { provider, start_date: from, end_date: to })
  }
  yield* devices.settle(userId, context.devices ?? [], context.at, outbox)
  if (context.pull && pulled) yield* pulled.settle(userId, context.pull, context.at, context.completed)
  yield* touches.settle(context.teamId, userId, context.at)
  yield* outbox.finish()
  const written = report.report()
  if (journal) yield* journal.finish(context.at, written, outbox.first, outbox.last)
  return { kind: 'written', report: written }
}

/** Links the token set for a live link. A simulated link ends the user's previous live connection to the provider. */
function* linkTokenSet(userId: UserId, provider: string, { teamId, live }: WriteContext): Steps<void> {
  if (live) yield* linkLive({ userId, teamId, provider }, live)
  else yield* unlinkLive(userId, provider)
}

/**
 * Returns the event document for a stream. A stream is too large for an event, so the event contains the ID of the workout whose stream can
 * now be read. See docs/interface/events.md#events-5.
 */
function shallow(stream: StreamRecord): Readonly<Record<string, unknown>> {
  return {
    kind: WORKOUT_STREAM,
    workout_id: stream.workoutId,
    provider: stream.provider,
    source_type: stream.sourceType,
    provider_id: stream.providerId,
    sport: stream.sport,
    message: 'The stream of this workout can be read now.',
  }
}
