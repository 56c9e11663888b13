/** Reads what Oura knows about the person. It says no time with it: the weight is that of when it was read. */
import { localDate } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { PullRequest } from '../../connector.ts'
import type { JsonObject } from '../../files/json/fields.ts'
import { bodySummary, profileSummary } from '../../shared/summaries.ts'
import { fieldsRead, filled, hasValue, mappedValues } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { versionOf } from '../windows.ts'
import { OURA } from './document.ts'
import { BODY_FIELDS, BODY_SAMPLES, PROFILE_FIELDS } from './tables.ts'

const SEXES: Readonly<Record<string, string>> = { male: 'male', female: 'female' }
const KNOWN = new Set<string>(['id', 'biological_sex', 'email', ...fieldsRead(PROFILE_FIELDS, BODY_FIELDS)])

export function readPerson(page: LivePage, fields: JsonObject, { userId, now, timeZone }: PullRequest): void {
  const offset = timeZone === null ? null : zoneOffset(timeZone, now)
  const date = localDate(now, offset)
  const common = { userId, provider: OURA, sourceType: 'app', date, offset }
  const sex = SEXES[String(fields['biological_sex'])] ?? null
  const known = { ...filled(PROFILE_FIELDS, fields), sex }
  page.record('profile', versionOf(known)).summary(profileSummary({ ...common, recordId: 'profile' }, now, known))
  const body = filled(BODY_FIELDS, fields)
  if (hasValue(body)) {
    // an id of its own for each weight, so that the next one does not replace it
    const recordId = `weight ${versionOf(body['weight'])}`
    const record = page.record(recordId, '1')
    record.summary(bodySummary({ ...common, recordId }, now, body))
    for (const { rule, value } of mappedValues(BODY_SAMPLES, fields)) {
      const sample = { resource: rule.to, sourceType: common.sourceType, start: now, offset, value }
      record.samples.add(sample, `personal_info.${rule.from}`)
    }
  }
  page.skipOthers(fields, KNOWN, 'personal_info')
}
