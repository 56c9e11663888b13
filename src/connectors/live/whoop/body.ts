/** Weight and height of a person at WHOOP, which have no time of their own. */
import { formatDate, SECOND_MS } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, fieldsOf, samplesOf } from '../field-mapping.ts'
import { pageOf, pullContext, RecordDraft, versionOf } from '../record-draft.ts'
import { bodyDocument, profileDocument } from '../summary-documents.ts'
import { BODY, KNOWN } from './mapping.ts'
import { one } from './requests.ts'

/**
 * Yields the current values. Each weight is a record of its own, named after its value, so that one that did not change is not written
 * again with a later time, and an earlier one stays.
 */
export async function* pullBody(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const body = await one(session, '/v2/user/measurement/body')
  if (body === null) return
  const context = pullContext('whoop_v2', asked)
  const { now, timeZone } = asked
  const offset = timeZone === null ? null : zoneOffset(timeZone, now)
  const date = formatDate(now + (offset ?? 0) * SECOND_MS)
  const place = { sourceType: 'app', at: now, date, offset }
  const records = []
  const profile = fieldsOf('profile', body, BODY)
  if (Object.keys(profile).length > 0) {
    const draft = new RecordDraft(context, 'profile')
    draft.summary({ kind: 'profile', ...place, document: profileDocument(profile) })
    records.push(draft.finish(versionOf(profile)))
  }
  const measured = fieldsOf('body', body, BODY)
  if (Object.keys(measured).length > 0) {
    const version = versionOf(measured)
    const draft = new RecordDraft(context, `weight ${version}`)
    draft.summary({ kind: 'body', ...place, document: bodyDocument(date, measured) })
    for (const [resource, value] of samplesOf(body, BODY)) draft.sample(resource, 'app', { start: now, value, offset })
    records.push(draft.finish(version))
  }
  countUnknown(body, 'body_measurement', KNOWN.body, context.unmapped)
  yield pageOf(context, records)
}
