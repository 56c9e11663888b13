/** Reads Oura's nights and naps, with the scores of their day. */
import { localDate, SECOND_MS } from '../../../core/time.ts'
import { asObject, asText, type JsonObject } from '../../files/json/fields.ts'
import { type RecordTime, readTime } from '../../files/records/time.ts'
import { type Session, type StageSpan, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import { type FieldRule, fieldsRead, filled, mappedValues, numberAt } from '../field-table.ts'
import type { LiveRecordBuilder } from '../page.ts'
import type { OuraDocument } from './document.ts'
import { addReadings } from './series.ts'
import {
  HYPNOGRAMS,
  READINESS_FIELDS,
  READINESS_SAMPLES,
  SCORE_FIELDS,
  SLEEP_FIELDS,
  SLEEP_HEART_RATE,
  SLEEP_HRV,
  SLEEP_SAMPLES,
  SLEEP_TYPES,
  STAGE_OF,
} from './tables.ts'

/** Documents of the same days, by their day. */
export interface SleepDays {
  readonly scores: ReadonlyMap<string, JsonObject>
  readonly readiness: ReadonlyMap<string, JsonObject>
  /** Whether the collection `heartrate`, which has the readings of nights too, is pulled. */
  readonly hasHeartRate: boolean
}

const OF_DAY = ['id', 'day', 'timestamp'] as const
const KNOWN_SLEEP = new Set<string>([
  ...['id', 'day', 'type', 'bedtime_start', 'bedtime_end', 'readiness', 'ring_id'],
  ...[SLEEP_HRV.field, SLEEP_HEART_RATE.field],
  ...HYPNOGRAMS.map(each => each.field),
  ...fieldsRead(SLEEP_FIELDS, SLEEP_SAMPLES),
])
const KNOWN_SCORE = new Set<string>([...OF_DAY, ...fieldsRead(SCORE_FIELDS)])
const KNOWN_READINESS = new Set<string>([...OF_DAY, ...fieldsRead(READINESS_FIELDS)])

export function readSleep(document: OuraDocument, days: SleepDays): void {
  const { page, fields, id, day } = document
  const type = asText(fields['type']) ?? null
  if (type !== null && !Object.hasOwn(SLEEP_TYPES, type)) {
    // rejected by the person or by a recalculation, maybe after it counted as sleep
    page.gone(id, document.version)
    page.skip(`sleep (type ${type})`)
    return
  }
  const begin = readTime(fields['bedtime_start'], document.asked.timeZone)
  const end = readTime(fields['bedtime_end'], document.asked.timeZone)
  if (begin === undefined || end === undefined || end.ms < begin.ms) {
    page.skip('sleep (without times)')
    return
  }
  const session: Session = { start: begin.ms, end: end.ms }
  // Oura sends null where nothing has classified the sleep
  const kind = type === null ? kindByLength(session) : SLEEP_TYPES[type]
  const isNight = kind === 'long_sleep'
  const score = isNight ? days.scores.get(day) : undefined
  const readiness = asObject(fields['readiness']) ?? (isNight ? days.readiness.get(day) : undefined)
  const joined = [score?.['score'] ?? null, readiness ?? null]
  const record = document.record(...joined, ...(days.hasHeartRate ? [] : [SLEEP_HEART_RATE.field]))
  // a late nap is listed under the next day
  const date = type === 'late_nap' ? localDate(end.ms, end.offset) : day
  const source = document.source({ date, offset: end.offset })
  record.summary(
    sleepSummary(source, session, {
      ...filled(SLEEP_FIELDS, fields),
      ...filled(SCORE_FIELDS, score),
      ...filled(READINESS_FIELDS, readiness),
      type: kind,
    }),
  )
  const spans = stagesOf(fields, session)
  if (spans.length > 0) record.summary(sleepCycle(source, session, spans))
  addSamples(document, record, SLEEP_SAMPLES, fields, end)
  addSamples(document, record, READINESS_SAMPLES, readiness, end, { sensor_location: 'finger' })
  addVariability(document, record, end)
  if (!days.hasHeartRate) addReadings(document, record, 'sleep', SLEEP_HEART_RATE)
  page.skipOthers(fields, KNOWN_SLEEP, 'sleep')
  if (score) page.skipOthers(score, KNOWN_SCORE, 'daily_sleep')
  if (readiness) page.skipOthers(readiness, KNOWN_READINESS, 'readiness')
}

function kindByLength({ start, end }: Session): string {
  return sleepType(end - start)
}

/** Returns the stages of the most detailed hypnogram, cut at the end of the session. */
function stagesOf(fields: JsonObject, { start, end }: Session): readonly StageSpan[] {
  for (const { field, seconds } of HYPNOGRAMS) {
    const text = asText(fields[field]) ?? ''
    if (text === '') continue
    return [...text].flatMap((character, i) => {
      const from = start + i * seconds * SECOND_MS
      const stage = STAGE_OF[character]
      if (stage === undefined || from >= end) return []
      return [{ stage, start: from, end: Math.min(end, from + seconds * SECOND_MS) }]
    })
  }
  return []
}

function addSamples(
  { sourceType }: OuraDocument,
  record: LiveRecordBuilder,
  rules: readonly FieldRule[],
  from: unknown,
  { ms: start, offset }: RecordTime,
  text = {},
): void {
  for (const { rule, value } of mappedValues(rules, from)) {
    record.samples.add({ resource: rule.to, sourceType, start, value, offset, text }, rule.from)
  }
}

/** Adds the readings of `hrv`; where there is none, its average at the end of the night. */
function addVariability(document: OuraDocument, record: LiveRecordBuilder, end: RecordTime): void {
  const { fields, sourceType } = document
  const read = addReadings(document, record, 'sleep', SLEEP_HRV)
  const average = numberAt(fields, 'average_hrv')
  if (read > 0 || average === undefined) return
  const sample = { resource: 'hrv', sourceType, start: end.ms, value: average, offset: end.offset }
  record.samples.add(sample, 'sleep.average_hrv')
}
