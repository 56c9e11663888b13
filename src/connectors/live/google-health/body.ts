/** Reads weight, body fat and height: samples, body summaries and the profile. */
import { DAY_MS, localDate } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import type { JsonObject } from '../../shared/json-fields.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { bodySummary, profileSummary, type SummarySource } from '../../shared/summaries.ts'
import { type FieldRule, mappedValue } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { contentVersion } from '../windows.ts'
import { BODY_FAT, type SeriesType, WEIGHT } from './data-types.ts'
import { readPoint, readSampleTime } from './point.ts'
import { allPoints, getPoints, pointNamed } from './requests.ts'
import { type ReadSample, samplesIn } from './series.ts'

export const HEIGHT = 'height'
/** The rule for height, which converts millimetres to centimetres. */
export const HEIGHT_FIELD: FieldRule = { from: 'heightMillimeters', to: 'height', per: 10, rule: 'the newest' }

const FIELDS: ReadonlyMap<string, 'weight' | 'fat'> = new Map([
  [WEIGHT.name, 'weight'],
  [BODY_FAT.name, 'fat'],
])

/** Weight points and body fat points. */
export interface Weighings {
  readonly weights: readonly unknown[]
  readonly fats: readonly unknown[]
}

export async function weighingsIn(session: TokenSession, window: PullWindow): Promise<Weighings> {
  const all = ({ name }: SeriesType) => allPoints(session, { type: name, field: 'sample_time.physical_time', window })
  return { fats: await all(BODY_FAT), weights: await all(WEIGHT) }
}

/** Requests one measurement again, with the scale's other value at the same instant. Throws ProviderError. */
export async function weighingNamed(session: TokenSession, recordId: string): Promise<Weighings | null> {
  const [name = '', id = ''] = recordId.split('/')
  const point = FIELDS.has(name) ? readPoint(await pointNamed(session, name, id), name) : undefined
  const time = point && readSampleTime(point.body)
  return time === undefined ? null : weighingsIn(session, { from: time.ms, to: time.ms + 1 })
}

/** Adds weight and body fat. Values that a scale measured at the same instant form one body summary, in the weight's record. */
export function addWeighings(found: Weighings, page: LivePage): void {
  const fats = [...samplesIn(found.fats, BODY_FAT, page)]
  const weights = [...samplesIn(found.weights, WEIGHT, page)]
  const fatAt = new Map(fats.map(({ sample }) => [sample.start, sample.value]))
  const weighed = new Set(weights.map(({ sample }) => sample.start))
  for (const weight of weights) addMeasure(weight, WEIGHT, { fat: fatAt.get(weight.sample.start) ?? null }, page)
  for (const fat of fats) addMeasure(fat, BODY_FAT, weighed.has(fat.sample.start) ? null : {}, page)
}

/** Adds a measurement's record. `others` contains additional fields for its body summary; null for no summary. */
function addMeasure(
  { point, sample }: ReadSample,
  { name }: SeriesType,
  others: { readonly fat?: number | null } | null,
  page: LivePage,
): void {
  const recordId = `${name}/${point.id ?? new Date(sample.start).toISOString()}`
  const record = page.record(recordId, contentVersion(point.body, others, page.asked.resources))
  record.samples.add(sample, name)
  if (others === null) return
  const source = sourceAt(page, recordId, { ms: sample.start, offset: sample.offset ?? null }, sample.sourceType)
  const field = FIELDS.get(name) ?? 'weight'
  record.summary(bodySummary(source, sample.start, { ...others, [field]: sample.value }))
}

/** Returns the newest height, the only available profile value, or null. Throws ProviderError. */
export async function newestHeight(session: TokenSession, { now }: PullRequest): Promise<JsonObject | null> {
  const window = { from: 0, to: now + DAY_MS }
  const query = { type: HEIGHT, field: 'sample_time.physical_time', window, pageSize: 1 } as const
  for await (const points of getPoints(session, query)) {
    // a page may be empty even if others follow; the newest value comes first
    if (points.length > 0) return readPoint(points[0], HEIGHT)?.body ?? {}
  }
  return null
}

export function addHeight(sent: JsonObject, page: LivePage) {
  const height = mappedValue(HEIGHT_FIELD, sent)
  const time = readSampleTime(sent)
  if (height === undefined || time === undefined) return page.skip('height without a value or a time')
  const source = sourceAt(page, 'profile', time, 'app')
  page.record('profile', contentVersion(sent)).summary(profileSummary(source, time.ms, { height }))
}

function sourceAt(page: LivePage, recordId: string, { ms, offset }: RecordTime, sourceType: string): SummarySource {
  return page.source(recordId, { sourceType, date: localDate(ms, offset), offset })
}
