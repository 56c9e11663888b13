/** Weight and height of a person at WHOOP, which have no time of their own. */
import { localDate } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import type { GrantSession } from '../../provider-session.ts'
import { bodySummary, profileSummary } from '../../shared/summaries.ts'
import { filled, hasValue, mappedValues } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { versionOf } from '../windows.ts'
import { BODY_FIELDS, BODY_SAMPLES, KNOWN, PROFILE_FIELDS } from './mapping.ts'
import { one } from './requests.ts'
import { PROVIDER } from './sleep.ts'

/**
 * Yields the current values. Each weight is a record of its own, named after its value, so that one that did not change is not written
 * again with a later time, and an earlier one stays.
 */
export async function* pullBody(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const body = await one(session, '/v2/user/measurement/body')
  if (body === null) return
  const page = new LivePage(PROVIDER, asked)
  const { now, timeZone, userId } = asked
  const offset = timeZone === null ? null : zoneOffset(timeZone, now)
  const common = { userId, provider: PROVIDER, sourceType: 'app', date: localDate(now, offset), offset }
  const profile = filled(PROFILE_FIELDS, body)
  if (hasValue(profile)) {
    const record = page.record('profile', versionOf(profile))
    record.summary(profileSummary({ ...common, recordId: 'profile' }, now, profile))
  }
  const measured = filled(BODY_FIELDS, body)
  if (hasValue(measured)) {
    const version = versionOf(measured)
    const recordId = `weight ${version}`
    const record = page.record(recordId, version)
    record.summary(bodySummary({ ...common, recordId }, now, measured))
    for (const { rule, value } of mappedValues(BODY_SAMPLES, body)) {
      record.samples.add({ resource: rule.to, sourceType: 'app', start: now, value, offset }, rule.to)
    }
  }
  countUnknown(body, 'body_measurement', KNOWN.body, page)
  yield page.take()
}
