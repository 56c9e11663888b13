/** Reads weight, body fat and height: samples, body summaries and the profile. */
import { ownedId } from '../../../core/ids.ts'
import type { SummaryRecord } from '../../../core/sample.ts'
import { DAY_MS, formatDate, SECOND_MS } from '../../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../../connector.ts'
import type { GrantSession } from '../../provider-session.ts'
import { CollectedPage, deletedRecord, recordOf, SeriesSamples, versionOf } from '../collected-page.ts'
import { BODY_FAT, PROVIDER, type SeriesType, WEIGHT } from './data-types.ts'
import { numberAt, readPoint, readSampleTime } from './point.ts'
import { pointNamed, pointsOf } from './requests.ts'
import { type ReadSample, samplesIn, seriesOf } from './series.ts'

export const HEIGHT = { name: 'height', value: 'heightMillimeters', divisor: 10 } as const

const MEASURES = [
  { type: WEIGHT, resource: 'weight', field: 'weight' },
  { type: BODY_FAT, resource: 'fat', field: 'fat' },
] as const
type Measure = (typeof MEASURES)[number]

/** Yields weight and body fat. What a scale measured at the same instant is one body summary, which belongs to the weight. */
export async function* pullBody(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new CollectedPage(asked.now)
  if (asked.recordId !== undefined) {
    yield* reread(session, asked, asked.recordId)
    return
  }
  const fats = await readAll(session, BODY_FAT, asked, page)
  const weights = await readAll(session, WEIGHT, asked, page)
  const fatAt = new Map(fats.map(each => [each.sample.start, each.sample.value]))
  const weighed = new Set(weights.map(each => each.sample.start))
  const [weight, fat] = MEASURES
  for (const each of weights) {
    page.records.push(measureRecord(each, weight, asked, page, { fat: fatAt.get(each.sample.start) ?? null }))
  }
  for (const each of fats) {
    const isOwn = !weighed.has(each.sample.start)
    page.records.push(measureRecord(each, fat, asked, page, isOwn ? { weight: null } : null))
  }
  yield page.page()
}

async function readAll(
  session: GrantSession,
  type: SeriesType,
  asked: PullRequest,
  page: CollectedPage,
): Promise<readonly ReadSample[]> {
  const found: ReadSample[] = []
  const query = { type: type.name, field: 'sample_time.physical_time', window: asked.window } as const
  for await (const points of pointsOf(session, query)) found.push(...samplesIn(points, type, asked, page))
  return found
}

/** Reads one measurement again, with whatever the other scale value of the same instant is. */
async function* reread(session: GrantSession, asked: PullRequest, recordId: string): AsyncGenerator<PulledPage> {
  const [name = '', id = ''] = recordId.split('/')
  const measure = MEASURES.find(each => each.type.name === name)
  const point = measure === undefined ? null : await pointNamed(session, name, id)
  const time = point && measure && readPoint(point, name) && readSampleTime(readPoint(point, name)?.body ?? {})
  if (!time) {
    const page = new CollectedPage(asked.now)
    page.records.push(deletedRecord(recordId))
    yield page.page()
    return
  }
  const { recordId: _, ...rest } = asked
  yield* pullBody(session, { ...rest, window: { from: time.ms, to: time.ms + 1 } })
}

/** Returns the record of one measurement; `others` are the further fields of its body summary, null for none. */
function measureRecord(
  { point, sample, sourceType }: ReadSample,
  { type, resource, field }: Measure,
  asked: PullRequest,
  page: CollectedPage,
  others: { readonly weight?: null; readonly fat?: number | null } | null,
): ProviderRecord {
  const recordId = `${type.name}/${point.id ?? new Date(sample.start).toISOString()}`
  const samples = new SeriesSamples(asked.now)
  if (asked.resources.includes(resource)) page.countProblem(type.name, samples.add(seriesOf(type, sourceType), sample))
  const summaries: SummaryRecord[] = []
  if (others !== null && asked.resources.includes('body')) {
    const offset = sample.offset ?? null
    const date = formatDate(sample.start + (offset ?? 0) * SECOND_MS)
    summaries.push({
      kind: 'body',
      id: ownedId(asked.userId, 'body', PROVIDER, recordId),
      provider: PROVIDER,
      sourceType,
      appId: null,
      deviceId: null,
      at: sample.start,
      date,
      offset,
      document: { ...bodyDocument(date), ...others, [field]: sample.value },
    })
  }
  return recordOf(recordId, versionOf(point.body, others, asked.resources), { batches: samples.take(), summaries })
}

function bodyDocument(date: string): Readonly<Record<string, unknown>> {
  return {
    date: `${date}T00:00:00+00:00`,
    calendar_date: date,
    weight: null,
    fat: null,
    water_percentage: null,
    muscle_mass_percentage: null,
    visceral_fat_index: null,
    bone_mass_percentage: null,
    body_mass_index: null,
    lean_body_mass_kilogram: null,
    waist_circumference_centimeter: null,
  }
}

/** Yields the profile, whatever the window is: it has the last height that the account knows, and nothing else of what a profile holds. */
export async function* pullProfile(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new CollectedPage(asked.now)
  const window = { from: 0, to: asked.now + DAY_MS }
  const query = { type: HEIGHT.name, field: 'sample_time.physical_time', window, pageSize: 1 } as const
  for await (const points of pointsOf(session, query)) {
    const point = readPoint(points[0], HEIGHT.name)
    const value = point && numberAt(point.body, HEIGHT.value)
    const time = point && readSampleTime(point.body)
    // a page may be empty although others follow
    if (points.length === 0) continue
    if (value === undefined || time === undefined) {
      page.skip('height without a value or a time')
      break
    }
    const { ms: at, offset } = time
    const height = value / HEIGHT.divisor
    const document = { height, birth_date: null, wheelchair_use: null, gender: null, sex: null }
    const summary: SummaryRecord = {
      kind: 'profile',
      id: ownedId(asked.userId, 'profile', PROVIDER),
      provider: PROVIDER,
      sourceType: 'app',
      appId: null,
      deviceId: null,
      at,
      date: formatDate(at + (offset ?? 0) * SECOND_MS),
      offset,
      document,
    }
    page.records.push(recordOf('profile', versionOf(point?.body), { summaries: [summary] }))
    // the newest comes first
    break
  }
  yield page.page()
}
