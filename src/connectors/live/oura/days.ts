/** Reads Oura's documents about a day: activity, blood oxygen, and the maximal oxygen uptake. */
import { DAY_MS, HOUR_MS, parseDate } from '../../../core/time.ts'
import { floatingIn, type RecordTime, readTime } from '../../files/records/time.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { fieldsRead, filled, mappedValues, numberAt } from '../field-table.ts'
import type { LiveRecordBuilder } from '../page.ts'
import type { OuraDocument } from './document.ts'
import { ACTIVITY_FIELDS, ACTIVITY_SAMPLES, SPO2_SAMPLES, VO2_SAMPLES } from './tables.ts'

/** The day of Oura begins at this hour. */
const DAY_BEGINS_HOURS = 4
const OF_DAY = ['id', 'day', 'timestamp'] as const
const KNOWN_ACTIVITY = new Set<string>([...OF_DAY, ...fieldsRead(ACTIVITY_FIELDS, ACTIVITY_SAMPLES)])
const KNOWN_SPO2 = new Set<string>([...OF_DAY, ...fieldsRead(SPO2_SAMPLES)])
const KNOWN_VO2 = new Set<string>([...OF_DAY, ...fieldsRead(VO2_SAMPLES)])

export function readActivity(document: OuraDocument): void {
  const { page, fields, day, asked } = document
  const begin = readTime(fields['timestamp'], asked.timeZone) ?? localHour(document, DAY_BEGINS_HOURS)
  const { ms: start, offset } = begin
  const record = document.record()
  const source = document.source({ date: day, offset })
  record.summary(activitySummary(source, filled(ACTIVITY_FIELDS, fields)))
  const add = (resource: string, value: number | undefined): void => {
    if (value === undefined) return
    const sample = { resource, sourceType: source.sourceType, start, end: start + DAY_MS, value, offset }
    record.samples.add(sample, `daily_activity (${resource})`)
  }
  for (const { rule, value } of mappedValues(ACTIVITY_SAMPLES, fields)) add(rule.to, value)
  add('calories_basal', basalOf(fields))
  page.skipOthers(fields, KNOWN_ACTIVITY, 'daily_activity')
}

/** Returns what is burnt at rest: all but the active part. Recalculations can make the active part the larger one. */
function basalOf(fields: unknown): number | undefined {
  const [total, active] = [numberAt(fields, 'total_calories'), numberAt(fields, 'active_calories')]
  return total === undefined || active === undefined ? undefined : Math.max(0, total - active)
}

export function readSpo2(document: OuraDocument): void {
  addValues(document, document.record(), SPO2_SAMPLES, localHour(document, 0))
  document.page.skipOthers(document.fields, KNOWN_SPO2, 'daily_spo2')
}

export function readVo2Max(document: OuraDocument): void {
  const at = readTime(document.fields['timestamp'], document.asked.timeZone) ?? localHour(document, 0)
  addValues(document, document.record(), VO2_SAMPLES, at)
  document.page.skipOthers(document.fields, KNOWN_VO2, 'vO2_max')
}

function addValues(
  { fields, sourceType }: OuraDocument,
  record: LiveRecordBuilder,
  rules: typeof SPO2_SAMPLES,
  { ms: start, offset }: RecordTime,
): void {
  for (const { rule, value } of mappedValues(rules, fields)) {
    record.samples.add({ resource: rule.to, sourceType, start, value, offset }, rule.from)
  }
}

/** Returns an hour of the document's day by the fallback zone of the person; UTC with an unknown offset if there is none. */
function localHour({ day, asked }: OuraDocument, hours: number): RecordTime {
  return floatingIn((parseDate(day) ?? 0) + hours * HOUR_MS, asked.timeZone)
}
