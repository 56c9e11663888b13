/** Reads a person's weight and height from WHOOP. They have no time. */
import { localDate } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { JsonObject } from '../../shared/json-fields.ts'
import { bodySummary, profileSummary } from '../../shared/summaries.ts'
import { filled, hasValue, mappedValues } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { contentVersion } from '../windows.ts'
import { BODY_FIELDS, BODY_SAMPLES, PROFILE_FIELDS } from './mapping.ts'

/**
 * Adds the current values. Each weight is a separate record whose ID is its value, so that an unchanged weight is not written again with a
 * later time, and earlier weights stay.
 */
export function addBody(sent: JsonObject, page: LivePage): void {
  const body = page.view('body_measurement', sent)
  const { now, timeZone } = page.asked
  const offset = timeZone === null ? null : zoneOffset(timeZone, now)
  const context = { sourceType: 'app', date: localDate(now, offset), offset }
  const profile = filled(PROFILE_FIELDS, body)
  if (hasValue(profile)) {
    page
      .record('profile', contentVersion(profile))
      .summary(profileSummary(page.source('profile', context), now, profile))
  }
  const measured = filled(BODY_FIELDS, body)
  if (!hasValue(measured)) return
  const version = contentVersion(measured)
  const recordId = `weight ${version}`
  const record = page.record(recordId, version)
  record.summary(bodySummary(page.source(recordId, context), now, measured))
  for (const { rule, value } of mappedValues(BODY_SAMPLES, body)) {
    record.samples.add({ resource: rule.to, sourceType: 'app', start: now, value, offset }, rule.to)
  }
}
