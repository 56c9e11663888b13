/** Reads Oura's nights and naps, with their day's scores. */
import { NIGHT_TYPE } from '../../../catalogue/kinds.ts'
import { localDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asText, type JsonObject } from '../../shared/json-fields.ts'
import { type RecordTime, readTime } from '../../shared/record-time.ts'
import { type Session, type StageSpan, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import { type FieldRule, filled, mappedValues } from '../field-table.ts'
import type { LivePage, LiveRecordBuilder } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import type { QueryParameters } from '../requests.ts'
import { dateAround } from '../windows.ts'
import { documentDay, documentPages, type OuraDocument, ouraDocument } from './document.ts'
import { hasHeartRate } from './heart-rate.ts'
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

/** A night or a nap, with its day's documents. */
export interface NightScores {
  readonly night: JsonObject | undefined
  readonly score: JsonObject | undefined
  readonly readiness: JsonObject | undefined
}

/** Returns nights with their days' documents. Throws ProviderError. */
export async function withScores(
  session: TokenSession,
  nights: readonly (JsonObject | undefined)[],
): Promise<readonly NightScores[]> {
  const days = nights.flatMap(night => documentDay(night) ?? []).sort()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return nights.map(night => ({ night, ...NO_SCORES }))
  const range = { start_date: first, end_date: dateAround(parseDate(last) ?? 0, 1) }
  const scores = await byDay(session, 'daily_sleep', range)
  const readiness = await byDay(session, 'daily_readiness', range)
  return nights.map(night => {
    const day = documentDay(night) ?? ''
    return { night, score: scores.get(day), readiness: readiness.get(day) }
  })
}

const NO_SCORES = { score: undefined, readiness: undefined }

async function byDay(
  session: TokenSession,
  name: string,
  range: QueryParameters,
): Promise<ReadonlyMap<string, JsonObject>> {
  const days = new Map<string, JsonObject>()
  for await (const documents of documentPages(session, name, range)) {
    for (const each of documents) {
      const day = asText(each?.['day'])
      if (each !== undefined && day !== undefined) days.set(day, each)
    }
  }
  return days
}

export function readSleep(scores: NightScores, page: LivePage, tokenSession: TokenSession) {
  const document = ouraDocument(page, 'sleep', scores.night)
  if (document === undefined) return
  const { view, id, day } = document
  const type = view.text('type') ?? null
  if (type !== null && !Object.hasOwn(SLEEP_TYPES, type)) {
    // rejected by the person or by a recalculation, possibly after it had counted as sleep
    page.gone(id, document.version)
    return view.leaveOut(`(type ${type})`)
  }
  const begin = readTime(view.value('bedtime_start'), page.asked.timeZone)
  const end = readTime(view.value('bedtime_end'), page.asked.timeZone)
  if (begin === undefined || end === undefined || end.ms < begin.ms) return view.leaveOut('(without times)')
  const session: Session = { start: begin.ms, end: end.ms }
  // Oura sends null if the sleep is not classified
  const kind = type === null ? kindByLength(session) : SLEEP_TYPES[type]
  const isNight = kind === 'long_sleep'
  const sentScore = isNight ? scores.score : undefined
  const sentReadiness = view.object('readiness') ?? (isNight ? scores.readiness : undefined)
  const hasReadings = hasHeartRate(tokenSession)
  const joined = [sentScore?.['score'] ?? null, sentReadiness ?? null]
  const record = document.record(...joined, ...(hasReadings ? [] : [SLEEP_HEART_RATE.field]))
  const score = sentScore && page.view('daily_sleep', sentScore)
  const readiness = sentReadiness && page.view('readiness', sentReadiness)
  // a late nap is listed under the next day
  const date = type === 'late_nap' ? localDate(end.ms, end.offset) : day
  const source = document.source({ date, offset: end.offset })
  record.summary(
    sleepSummary(source, session, {
      ...filled(SLEEP_FIELDS, view),
      ...filled(SCORE_FIELDS, score),
      ...filled(READINESS_FIELDS, readiness),
      type: kind,
    }),
  )
  const spans = readStages(view, session)
  if (spans.length > 0) record.summary(sleepCycle(source, session, spans))
  addSamples(document, record, SLEEP_SAMPLES, view, end)
  addSamples(document, record, READINESS_SAMPLES, readiness, end, { sensor_location: 'finger' })
  addVariability(document, record, end)
  addReadings(document, hasReadings ? null : record, 'sleep', SLEEP_HEART_RATE)
}

function kindByLength({ start, end }: Session): string {
  return sleepType(end - start)
}

/** Returns the stages from the most detailed hypnogram, up to the end of the session. */
function readStages(view: RecordView, { start, end }: Session): readonly StageSpan[] {
  const hypnograms = HYPNOGRAMS.map(({ field, seconds }) => ({ text: view.text(field) ?? '', seconds }))
  const { text, seconds } = hypnograms.find(each => each.text !== '') ?? { text: '', seconds: 0 }
  return [...text].flatMap((character, i) => {
    const from = start + i * seconds * SECOND_MS
    const stage = STAGE_OF[character]
    if (stage === undefined || from >= end) return []
    return [{ stage, start: from, end: Math.min(end, from + seconds * SECOND_MS) }]
  })
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

/** Adds the readings in `hrv` or, if there are none, the average as one sample at the end of the night. */
function addVariability(document: OuraDocument, record: LiveRecordBuilder, end: RecordTime): void {
  const { view, sourceType } = document
  const read = addReadings(document, record, 'sleep', SLEEP_HRV)
  const average = view.number('average_hrv')
  if (read > 0 || average === undefined) return
  const text = { type: NIGHT_TYPE }
  const sample = { resource: 'hrv', sourceType, start: end.ms, value: average, offset: end.offset, text }
  record.samples.add(sample, 'sleep.average_hrv')
}
