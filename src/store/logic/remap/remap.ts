/**
 * Writes what today's mapping makes of data that was read again, in the caller's transaction. See docs/interface/remap.md#remap-8.
 */
import type { UserId } from '../../../core/ids.ts'
import type { RemapListener, RemapOutcome, RemapPlan } from '../../remap.ts'
import { type DataSource, type WriteContext, writeData } from '../samples/data-writer.ts'
import type { Steps } from '../steps.ts'
import { requireActive } from '../users/users.ts'
import { ImportRemap } from './import-remap.ts'
import { LiveRemap } from './live-remap.ts'
import { RemapTally } from './tally.ts'

/** The data that was made. Samples of a series are in ascending order of start. */
export type RemappedData = Pick<DataSource, 'batches' | 'summaries' | 'streams'>

/**
 * Writes the data, removes what is no longer made, and records both like an import. Throws ServiceError `user_not_found`, `quota_exceeded`,
 * or `conflict` if what was read again has changed since.
 */
export function* writeRemap(
  userId: UserId,
  context: Omit<WriteContext, 'consumeToken'>,
  plan: RemapPlan,
  data: RemappedData,
  listener: RemapListener | null,
): Steps<RemapOutcome> {
  yield* requireActive(userId)
  const tally = new RemapTally(listener)
  const guard =
    plan.kind === 'imports'
      ? yield* ImportRemap.open(userId, plan.importIds, tally)
      : yield* LiveRemap.open(userId, plan, tally)
  const source: DataSource = {
    ...data,
    guard,
    written: (batch, outcome) => tally.written(batch, outcome),
    summaryWritten: (summary, outcome) => tally.summaryWritten(summary, outcome),
    streamWritten: (stream, outcome) => tally.streamWritten(stream, outcome),
  }
  const outcome = yield* writeData(userId, { ...context, consumeToken: null }, source)
  if (outcome.kind !== 'written') throw new Error('a remap consumes no token')
  return { counts: tally.counts, hasChanges: tally.hasChanges }
}
