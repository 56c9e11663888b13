/** Reads the data of a query as it was at an earlier time. See docs/interface/why.md#why-7. */
import type { SessionMatch } from '../../../../store/session-match.ts'
import type { QuerySource } from '../../scan/source.ts'
import { History, type PastAsked } from './history.ts'
import { pastSamples } from './samples.ts'
import { pastSummaries } from './summaries.ts'
import type { Gap } from './uncertainty.ts'

/** The data of an earlier time. */
export interface PastSource {
  readonly source: QuerySource
  /** Returns what is not known of the data that was read, or null. Must be called after the query. */
  gap(): Gap | null
}

export async function openPast(asked: PastAsked): Promise<PastSource> {
  const history = await History.open(asked)
  return {
    source: {
      samples: {
        async *scan(_userId, query) {
          yield* await pastSamples(history, query)
        },
      },
      summaries: { list: (_userId, query) => pastSummaries(history, query) },
      sessionMatches: { list: () => pastMatches(history) },
    },
    gap: () => history.uncertain.last,
  }
}

/** Returns the corrections of the time. Notes later changes of them that left no trace but an entry in the audit trail. */
async function pastMatches(history: History): Promise<SessionMatch[]> {
  const { store, userId, at } = history.asked
  await history.noteCalls('aggregate.undo_correction', 'a correction of sessions was undone after it')
  const calls = await history.callsAfter('aggregate.correct', 0)
  const pairOf = (object: Readonly<Record<string, string>>) =>
    [object['session_id'], object['other_session_id']].sort().join(' ')
  const earlier = new Set(calls.filter(call => call.at <= at).map(({ object }) => pairOf(object)))
  const replaced = calls.find(call => call.at > at && earlier.has(pairOf(call.object)))
  if (replaced) history.uncertain.add(replaced.at, 'a correction of sessions was replaced after it')
  return (await store.sessionMatches.list(userId)).filter(({ declaredAt }) => declaredAt <= at)
}
