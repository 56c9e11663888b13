/** Weight and height of a person at WHOOP, which have no time of their own. */
import { zoneOffset } from '../../../core/zones.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import type { GrantSession } from '../../provider-session.ts'
import { bodySummary, profileSummary } from '../documents.ts'
import { countUnknown, fieldsOf, samplesOf } from '../field-mapping.ts'
import { LivePage } from '../page.ts'
import { versionOf } from '../windows.ts'
import { BODY, KNOWN } from './mapping.ts'
import { localDate } from './record-time.ts'
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
  const profile = fieldsOf('profile', body, BODY)
  if (Object.keys(profile).length > 0) {
    const record = page.record('profile', versionOf(profile))
    record.summary(profileSummary({ ...common, recordId: 'profile' }, now, profile))
  }
  const measured = fieldsOf('body', body, BODY)
  if (Object.keys(measured).length > 0) {
    const version = versionOf(measured)
    const recordId = `weight ${version}`
    const record = page.record(recordId, version)
    record.summary(bodySummary({ ...common, recordId }, now, measured))
    for (const [resource, value] of samplesOf(body, BODY)) {
      record.samples.add({ resource, sourceType: 'app', start: now, value, offset }, resource)
    }
  }
  countUnknown(body, 'body_measurement', KNOWN.body, page)
  yield page.take()
}
