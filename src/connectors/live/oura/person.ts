/** Reads Oura's data about the person. The data has no time, so the weight is stored with the time at which it is read. */
import { localDate } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { JsonObject } from '../../shared/json-fields.ts'
import { bodySummary, profileSummary } from '../../shared/summaries.ts'
import { filled, hasValue, mappedValues } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { contentVersion } from '../windows.ts'
import { BODY_FIELDS, BODY_SAMPLES, PROFILE_FIELDS } from './tables.ts'

const SEXES: Readonly<Record<string, string>> = { male: 'male', female: 'female' }

export function readPerson(sent: JsonObject, page: LivePage): void {
  const person = page.view('personal_info', sent)
  const { now, timeZone } = page.asked
  const offset = timeZone === null ? null : zoneOffset(timeZone, now)
  const context = { sourceType: 'app', date: localDate(now, offset), offset }
  const sex = SEXES[String(person.value('biological_sex'))] ?? null
  const known = { ...filled(PROFILE_FIELDS, person), sex }
  page.record('profile', contentVersion(known)).summary(profileSummary(page.source('profile', context), now, known))
  const body = filled(BODY_FIELDS, person)
  if (!hasValue(body)) return
  // each weight has its own ID, so that the next weight does not replace it
  const recordId = `weight ${contentVersion(body['weight'])}`
  const record = page.record(recordId, '1')
  record.summary(bodySummary(page.source(recordId, context), now, body))
  for (const { rule, value } of mappedValues(BODY_SAMPLES, person)) {
    const sample = { resource: rule.to, sourceType: 'app', start: now, offset, value }
    record.samples.add(sample, `personal_info.${rule.from}`)
  }
}
