/** Sleeps of WHOOP, each with the recovery that belongs to it. */
import { DAY_MS, localDate } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { sleepSummary } from '../../shared/summaries.ts'
import { filled, mappedValues } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { versionOf } from '../windows.ts'
import { KNOWN, RECOVERY_FIELDS, RECOVERY_SAMPLES, SAMPLE_TYPES, SLEEP_FIELDS, SLEEP_SAMPLES } from './mapping.ts'
import { sleepTypeOf, timeOf } from './record-time.ts'
import { all, isGranted, one, pages } from './requests.ts'

export const PROVIDER = 'whoop_v2'
export const SLEEPS = '/v2/activity/sleep'
const RECOVERIES = '/v2/recovery'

/** Yields sleeps. The summary of a night needs its recovery, so both are one record, which has the id of the sleep. */
export async function* pullSleeps(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  if (asked.recordId !== undefined) {
    yield await sleepOfId(session, asked, asked.recordId)
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
  for await (const sleeps of pages(session, SLEEPS, asked.window)) {
    const page = new LivePage(PROVIDER, asked)
    for (const each of sleeps) addSleep(page, asked, each, recoveries.get(String(each['id'])) ?? null)
    yield page.take()
  }
}

async function sleepOfId(session: GrantSession, asked: PullRequest, id: string): Promise<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const sleep = await one(session, `${SLEEPS}/${encodeURIComponent(id)}`)
  if (sleep === null) {
    page.gone(id)
    return page.take()
  }
  const cycle = sleep['cycle_id']
  const isLinked = (typeof cycle === 'number' || typeof cycle === 'string') && isGranted(session, 'read:recovery')
  const recovery = isLinked ? await one(session, `/v2/cycle/${encodeURIComponent(cycle)}/recovery`) : null
  // the recovery of a cycle belongs to its main sleep, not to a nap in it
  addSleep(page, asked, sleep, recovery?.['sleep_id'] === id ? recovery : null)
  return page.take()
}

function addSleep(page: LivePage, { userId }: PullRequest, sleep: JsonObject, recovery: JsonObject | null): void {
  const id = asText(sleep['id'])
  const time = timeOf(sleep)
  if (id === undefined || time === null || time.end === null) {
    page.skip('sleep without id or times')
    return
  }
  const { start, end, offset } = time
  const record = page.record(id, versionOf(sleep, recovery))
  const fields = filled(SLEEP_FIELDS, scored(sleep))
  const stages = [fields['light'], fields['deep'], fields['rem']].flatMap(each => each ?? [])
  const sourceType = 'watch'
  const source = { userId, provider: PROVIDER, sourceType, recordId: id, date: localDate(end, offset), offset }
  record.summary(
    sleepSummary(
      source,
      { start, end },
      {
        type: sleepTypeOf({ start, end }, sleep['nap'] === true),
        ...fields,
        total: stages.length > 0 ? stages.reduce((sum, each) => sum + each, 0) : null,
        state: sleep['score_state'] === 'PENDING_SCORE' ? 'tentative' : 'confirmed',
        ...filled(RECOVERY_FIELDS, scored(recovery)),
      },
    ),
  )
  const values = [...mappedValues(SLEEP_SAMPLES, scored(sleep)), ...mappedValues(RECOVERY_SAMPLES, scored(recovery))]
  for (const { rule, value } of values) {
    const resource = rule.to
    const type = SAMPLE_TYPES[resource]
    const text = type === undefined ? {} : { type }
    record.samples.add({ resource, sourceType, start: end, value, offset, text }, resource)
  }
  countUnknown(sleep, 'sleep', KNOWN.sleep, page)
  if (recovery !== null) countUnknown(recovery, 'recovery', KNOWN.recovery, page)
}

/** Returns the record, or null unless it is scored: what stands in a score before that is not final. */
export function scored(record: JsonObject | null): JsonObject | null {
  return record?.['score_state'] === 'SCORED' ? record : null
}
