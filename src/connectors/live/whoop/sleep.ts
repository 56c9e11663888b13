/** Sleeps of WHOOP, each with the recovery that belongs to it. */
import { DAY_MS } from '../../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, fieldsOf, samplesOf } from '../field-mapping.ts'
import { deletedRecord, type PullContext, pageOf, pullContext, RecordDraft, versionOf } from '../record-draft.ts'
import { sleepDocument } from '../summary-documents.ts'
import { KNOWN, RECOVERY, SAMPLE_TYPES, SLEEP } from './mapping.ts'
import { localDate, timeOf } from './record-time.ts'
import { all, isGranted, one, pages } from './requests.ts'

export const SLEEPS = '/v2/activity/sleep'
const RECOVERIES = '/v2/recovery'
const SOURCE = 'watch'

/** Yields sleeps. The summary of a night needs its recovery, so both are one record, which has the id of the sleep. */
export async function* pullSleeps(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const context = pullContext('whoop_v2', asked)
  if (asked.recordId !== undefined) {
    yield pageOf(context, [await sleepOfId(session, context, asked.recordId)])
    return
  }
  const { from, to } = asked.window
  const recoveries = new Map<string, JsonObject>()
  if (isGranted(session, 'read:recovery')) {
    // a recovery may be dated by its cycle, which begins before the sleep or ends after it
    for (const each of await all(session, RECOVERIES, { from: from - DAY_MS, to: to + DAY_MS })) {
      const sleepId = asText(each['sleep_id'])
      if (sleepId !== undefined) recoveries.set(sleepId, each)
    }
  }
  for await (const page of pages(session, SLEEPS, asked.window)) {
    const records = page.map(each => sleepRecord(context, each, recoveries.get(String(each['id'])) ?? null))
    yield pageOf(context, records)
  }
}

async function sleepOfId(session: GrantSession, context: PullContext, id: string): Promise<ProviderRecord | null> {
  const sleep = await one(session, `${SLEEPS}/${encodeURIComponent(id)}`)
  if (sleep === null) return deletedRecord(id)
  const cycle = sleep['cycle_id']
  const isLinked = (typeof cycle === 'number' || typeof cycle === 'string') && isGranted(session, 'read:recovery')
  const recovery = isLinked ? await one(session, `/v2/cycle/${encodeURIComponent(cycle)}/recovery`) : null
  return sleepRecord(context, sleep, recovery?.['sleep_id'] === id ? recovery : null)
}

function sleepRecord(context: PullContext, sleep: JsonObject, recovery: JsonObject | null): ProviderRecord | null {
  const id = asText(sleep['id'])
  const time = timeOf(sleep)
  if (id === undefined || time === null || time.end === null) {
    context.unmapped.count('sleep without id or times')
    return null
  }
  const { start, end, offset } = time
  const draft = new RecordDraft(context, id)
  const filled = fieldsOf('sleep', scored(sleep), SLEEP)
  const { light, deep, rem } = filled
  const isScored = light !== undefined || deep !== undefined || rem !== undefined
  const date = localDate(end, offset)
  draft.summary({
    kind: 'sleep',
    sourceType: SOURCE,
    at: end,
    date,
    offset,
    document: sleepDocument(
      { start, end, date, offset, isNap: sleep['nap'] === true },
      {
        ...filled,
        ...(isScored ? { total: (light ?? 0) + (deep ?? 0) + (rem ?? 0) } : {}),
        state: sleep['score_state'] === 'PENDING_SCORE' ? 'tentative' : 'confirmed',
        ...fieldsOf('sleep', scored(recovery), RECOVERY),
      },
    ),
  })
  const values = [...samplesOf(scored(sleep), SLEEP), ...samplesOf(scored(recovery), RECOVERY)]
  for (const [resource, value] of values) {
    const type = SAMPLE_TYPES[resource]
    draft.sample(resource, SOURCE, { start: end, value, offset, text: type === undefined ? {} : { type } })
  }
  countUnknown(sleep, 'sleep', KNOWN.sleep, context.unmapped)
  if (recovery !== null) countUnknown(recovery, 'recovery', KNOWN.recovery, context.unmapped)
  return draft.finish(versionOf(sleep, recovery))
}

/** Returns the record, or null unless it is scored: what stands in a score before that is not final. */
export function scored(record: JsonObject | null): JsonObject | null {
  return record?.['score_state'] === 'SCORED' ? record : null
}
