/** Reads WHOOP's sleeps, each with its recovery. */
import { DAY_MS, localDate } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asText, type JsonObject } from '../../shared/json-fields.ts'
import { sleepSummary } from '../../shared/summaries.ts'
import { filled, mappedValues, textOf } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { getRecord, isGranted } from '../requests.ts'
import { contentVersion } from '../windows.ts'
import { RECOVERY_FIELDS, RECOVERY_SAMPLES, SLEEP_FIELDS, SLEEP_SAMPLES } from './mapping.ts'
import { classifySleep, readRecordTime } from './record-time.ts'
import { allIn, findRecord, listed } from './requests.ts'

export const SLEEPS = '/v2/activity/sleep'
const READ_RECOVERY = 'read:recovery'

/** A sleep and its recovery. A night's summary needs the recovery, so both are one record, with the sleep's ID. */
export interface WhoopNight {
  readonly sleep: JsonObject
  readonly recovery: JsonObject | null
}

/** Yields the sleeps with their recoveries. */
export async function* nightPages(session: TokenSession, asked: PullRequest): AsyncGenerator<readonly WhoopNight[]> {
  const { from, to } = asked.window
  // a recovery may have the date of its cycle, which begins before the sleep or ends after it
  const around = { from: from - DAY_MS, to: to + DAY_MS }
  const listedRecoveries = isGranted(session, READ_RECOVERY) ? await allIn(session, '/v2/recovery', around) : []
  const recoveries = new Map(listedRecoveries.map(each => [each['sleep_id'], each]))
  for await (const sleeps of listed(session, SLEEPS, asked)) {
    yield sleeps.map(sleep => ({ sleep, recovery: recoveries.get(String(sleep['id'])) ?? null }))
  }
}

/** Returns one sleep with its recovery, or null if WHOOP does not have the sleep. Throws ProviderError. */
export async function nightNamed(session: TokenSession, id: string): Promise<WhoopNight | null> {
  const sleep = await findRecord(session, SLEEPS, id)
  if (sleep === null) return null
  const cycle = sleep['cycle_id']
  const isLinked = (typeof cycle === 'number' || typeof cycle === 'string') && isGranted(session, READ_RECOVERY)
  const recovery = isLinked ? await getRecord(session, `/v2/cycle/${encodeURIComponent(cycle)}/recovery`) : null
  // a cycle's recovery belongs to its main sleep, not to a nap
  return { sleep, recovery: recovery?.['sleep_id'] === id ? recovery : null }
}

export function addNight({ sleep, recovery }: WhoopNight, page: LivePage) {
  const view = page.view('sleep', sleep)
  const [id, time] = [asText(sleep['id']), readRecordTime(sleep)]
  if (id === undefined || time === null || time.end === null) return view.leaveOut('without id or times')
  const { start, end, offset } = time
  const record = page.record(id, contentVersion(sleep, recovery))
  const scoredSleep = scored(view)
  const scoredRecovery = recovery && scored(page.view('recovery', recovery))
  const fields = filled(SLEEP_FIELDS, scoredSleep)
  const stages = [fields['light'], fields['deep'], fields['rem']].flatMap(each => each ?? [])
  const sourceType = 'watch'
  const source = page.source(id, { sourceType, date: localDate(end, offset), offset })
  record.summary(
    sleepSummary(
      source,
      { start, end },
      {
        type: classifySleep({ start, end }, view.value('nap') === true),
        ...fields,
        total: stages.length > 0 ? stages.reduce((sum, each) => sum + each, 0) : null,
        state: sleep['score_state'] === 'PENDING_SCORE' ? 'tentative' : 'confirmed',
        ...filled(RECOVERY_FIELDS, scoredRecovery),
      },
    ),
  )
  const values = [...mappedValues(SLEEP_SAMPLES, scoredSleep), ...mappedValues(RECOVERY_SAMPLES, scoredRecovery)]
  for (const { rule, value } of values) {
    const resource = rule.to
    record.samples.add({ resource, sourceType, start: end, value, offset, text: textOf(rule) }, resource)
  }
}

/** Returns the record if it is scored, otherwise null. Earlier values are not final and are not counted. */
export function scored(record: RecordView): RecordView | null {
  if (record.value('score_state') === 'SCORED') return record
  record.value('score')
  return null
}
