/** One write of a user's data: token, connections, samples, summaries and the events they cause, in the caller's transaction. */
import { dailyCreated, dailyUpdated, historicalCreated } from '../../catalogue/event-types.ts'
import { ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { DataWrite, SampleCounts, SummaryCounts, WriteOutcome, WriteReport } from '../port.ts'
import type { Connection } from './connection.ts'
import { eventResource, OutboxWriter } from './outbox.ts'
import { type BatchOutcome, writeBatch } from './sample-writer.ts'
import { writeSummary } from './summaries.ts'

/** Adds up what became of samples and summaries, by resource. */
export class ReportBuilder {
  readonly stored: Record<string, SampleCounts> = {}
  readonly summaries: Record<string, SummaryCounts> = {}

  addSamples(resource: string, counts: SampleCounts): void {
    this.stored[resource] ??= { samples: 0, replaced: 0, unchanged: 0 }
    const sum = this.stored[resource] as SampleCounts
    sum.samples += counts.samples
    sum.replaced += counts.replaced
    sum.unchanged += counts.unchanged
  }

  addSummary(kind: string, outcome: keyof SummaryCounts): void {
    this.summaries[kind] ??= { created: 0, updated: 0, unchanged: 0 }
    ;(this.summaries[kind] as SummaryCounts)[outcome]++
  }

  report(): WriteReport {
    return { stored: this.stored, summaries: this.summaries }
  }
}

/** Where batches and summaries come from: memory, or a scratch file that is read as it is merged. */
export interface DataSource {
  batches(): Iterable<SampleBatch>
  summaries(): Iterable<SummaryRecord>
  /** Told what became of each batch: a scratch file corrects its counts of doubles with it. */
  written?(batch: SampleBatch, outcome: BatchOutcome, report: ReportBuilder): void
}

export type WriteContext = Omit<DataWrite, 'batches' | 'summaries'>

/** Throws ServiceError `user_not_found` when the user was deleted meanwhile: nothing may follow a deletion. */
export function writeData(
  connection: Connection,
  userId: UserId,
  context: WriteContext,
  source: DataSource,
): WriteOutcome {
  const user = connection.get<{ deleted_at: number | null }>('SELECT deleted_at FROM user WHERE user_id=?', userId)
  if (!user || user.deleted_at !== null) throw new ServiceError('user_not_found', 'User not found')
  if (context.consumeToken !== null) {
    const changed = connection.run(
      'UPDATE link_token SET consumed_at=?, pending=NULL WHERE user_id=? AND hash=? AND consumed_at IS NULL',
      context.at,
      userId,
      context.consumeToken,
    )
    if (changed === 0) return { kind: 'token_consumed' }
  }
  const outbox = new OutboxWriter(connection, userId, context.teamId, context.at)
  const report = new ReportBuilder()
  const historical = new Set<string>()
  const daily = context.events.kind === 'daily'
  for (const each of context.connections) connect(connection, each, outbox)
  for (const batch of source.batches()) {
    if (batch.n === 0) continue
    const outcome = writeBatch(connection, userId, batch)
    report.addSamples(batch.series.resource, outcome)
    source.written?.(batch, outcome, report)
    const name = eventResource(batch.series.resource)
    if (daily) {
      outbox.samples(dailyCreated(name), outcome.seriesId, outcome.created)
      outbox.samples(dailyUpdated(name), outcome.seriesId, outcome.updated)
    } else historical.add(name)
  }
  for (const summary of source.summaries()) {
    const outcome = writeSummary(connection, userId, summary, context.at)
    report.addSummary(summary.kind, outcome)
    if (!daily) historical.add(summary.kind)
    else if (outcome !== 'unchanged') {
      outbox.document(outcome === 'created' ? dailyCreated(summary.kind) : dailyUpdated(summary.kind), {
        kind: summary.kind,
        id: summary.id,
        document: summary.document,
      })
    }
  }
  if (context.events.kind === 'historical') {
    const { provider, from, to } = context.events
    for (const name of [...historical].sort()) {
      outbox.document(historicalCreated(name), { provider, start_date: from, end_date: to })
    }
  }
  outbox.finish()
  return { kind: 'written', report: report.report() }
}

function connect(connection: Connection, wanted: DataWrite['connections'][number], outbox: OutboxWriter): void {
  const present = connection.get<{ status: string }>(
    'SELECT status FROM connection WHERE user_id=? AND provider=?',
    wanted.userId,
    wanted.provider,
  )
  connection.run(
    `INSERT INTO connection (user_id, provider, created_on, status, external_user_id, region) VALUES (?,?,?,'connected',?,?)
     ON CONFLICT (user_id, provider) DO UPDATE SET status='connected',
       external_user_id=coalesce(excluded.external_user_id, external_user_id), region=coalesce(excluded.region, region)`,
    wanted.userId,
    wanted.provider,
    wanted.createdOn,
    wanted.externalUserId,
    wanted.region,
  )
  if (present?.status === 'connected') return
  outbox.document('provider.connection.created', { provider: wanted.provider })
}
