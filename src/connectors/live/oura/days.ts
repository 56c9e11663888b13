/** Reads Oura's documents about a day: activity, blood oxygen, and maximal oxygen uptake. */
import { DAY_MS, HOUR_MS, parseDate } from '../../../core/time.ts'
import { floatingIn, type RecordTime, readTime } from '../../shared/record-time.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { filled, mappedValues } from '../field-table.ts'
import type { LiveRecordBuilder } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import type { OuraDocument } from './document.ts'
import { ACTIVITY_FIELDS, ACTIVITY_SAMPLES, SPO2_SAMPLES, VO2_SAMPLES } from './tables.ts'

/** Hour at which an Oura day begins. */
const DAY_BEGINS_HOURS = 4
export function readActivity(document: OuraDocument): void {
  const { page, view, day } = document
  const begin = readTime(view.fields['timestamp'], page.asked.timeZone) ?? localHour(document, DAY_BEGINS_HOURS)
  const { ms: start, offset } = begin
  const record = document.record()
  const source = document.source({ date: day, offset })
  record.summary(activitySummary(source, filled(ACTIVITY_FIELDS, view)))
  const add = (resource: string, value: number | undefined): void => {
    if (value === undefined) return
    const sample = { resource, sourceType: source.sourceType, start, end: start + DAY_MS, value, offset }
    record.samples.add(sample, `daily_activity (${resource})`)
  }
  for (const { rule, value } of mappedValues(ACTIVITY_SAMPLES, view)) add(rule.to, value)
  add('calories_basal', basalEnergy(view))
}

/** Returns the energy burnt at rest: the total without the active part. Recalculations can make the active part larger than the total. */
function basalEnergy(view: RecordView): number | undefined {
  const [total, active] = [view.number('total_calories'), view.number('active_calories')]
  return total === undefined || active === undefined ? undefined : Math.max(0, total - active)
}

export function readSpo2(document: OuraDocument): void {
  addValues(document, document.record(), SPO2_SAMPLES, localHour(document, 0))
}

export function readVo2Max(document: OuraDocument): void {
  const at = readTime(document.view.fields['timestamp'], document.page.asked.timeZone) ?? localHour(document, 0)
  addValues(document, document.record(), VO2_SAMPLES, at)
}

function addValues(
  { view, sourceType }: OuraDocument,
  record: LiveRecordBuilder,
  rules: typeof SPO2_SAMPLES,
  { ms: start, offset }: RecordTime,
): void {
  for (const { rule, value } of mappedValues(rules, view)) {
    record.samples.add({ resource: rule.to, sourceType, start, value, offset }, rule.from)
  }
}

/** Returns an hour of the document's day in the person's fallback zone. If there is none, returns it in UTC with an unknown offset. */
function localHour({ day, page }: OuraDocument, hours: number): RecordTime {
  return floatingIn((parseDate(day) ?? 0) + hours * HOUR_MS, page.asked.timeZone)
}
