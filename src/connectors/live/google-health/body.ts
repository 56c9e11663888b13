/** Reads weight, body fat and height: samples, body summaries and the profile. */
import { DAY_MS, localDate } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import type { RecordTime } from '../../files/records/time.ts'
import type { GrantSession } from '../../provider-session.ts'
import { bodySummary, profileSummary, type SummarySource } from '../../shared/summaries.ts'
import { type FieldRule, mappedValue } from '../field-table.ts'
import { LivePage, type LiveSample } from '../page.ts'
import { versionOf } from '../windows.ts'
import { BODY_FAT, PROVIDER, type SeriesType, WEIGHT } from './data-types.ts'
import { readPoint, readSampleTime } from './point.ts'
import { pointNamed, pointsOf } from './requests.ts'
import { type ReadSample, samplesIn } from './series.ts'

export const HEIGHT = 'height'
/** Millimetres as centimetres. */
export const HEIGHT_FIELD: FieldRule = { from: 'heightMillimeters', to: 'height', per: 10, rule: 'the newest' }

const FIELDS: ReadonlyMap<string, 'weight' | 'fat'> = new Map([
  [WEIGHT.name, 'weight'],
  [BODY_FAT.name, 'fat'],
])

/** Yields weight and body fat. What a scale measured at the same instant is one body summary, which belongs to the weight. */
export async function* pullBody(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  if (asked.recordId !== undefined) {
    yield* reread(session, asked, asked.recordId)
    return
  }
  const fats = await readAll(session, BODY_FAT, asked, page)
  const weights = await readAll(session, WEIGHT, asked, page)
  const fatAt = new Map(fats.map(({ sample }) => [sample.start, sample.value]))
  const weighed = new Set(weights.map(({ sample }) => sample.start))
  for (const weight of weights) {
    addMeasure(weight, WEIGHT, { fat: fatAt.get(weight.sample.start) ?? null }, asked, page)
  }
  for (const fat of fats) addMeasure(fat, BODY_FAT, weighed.has(fat.sample.start) ? null : {}, asked, page)
  yield page.take()
}

async function readAll(
  session: GrantSession,
  type: SeriesType,
  asked: PullRequest,
  page: LivePage,
): Promise<readonly ReadSample[]> {
  const found: ReadSample[] = []
  const query = { type: type.name, field: 'sample_time.physical_time', window: asked.window } as const
  for await (const points of pointsOf(session, query)) found.push(...samplesIn(points, type, asked, page))
  return found
}

/** Reads one measurement again, with whatever else the scale measured at the same instant. */
async function* reread(session: GrantSession, asked: PullRequest, recordId: string): AsyncGenerator<PulledPage> {
  const [name = '', id = ''] = recordId.split('/')
  const point = FIELDS.has(name) ? readPoint(await pointNamed(session, name, id), name) : undefined
  const time = point && readSampleTime(point.body)
  if (time === undefined) {
    const page = new LivePage(PROVIDER, asked)
    page.gone(recordId)
    yield page.take()
    return
  }
  const { recordId: _, ...rest } = asked
  yield* pullBody(session, { ...rest, window: { from: time.ms, to: time.ms + 1 } })
}

/** Adds the record of one measurement; `others` are the further fields of its body summary, null for no summary. */
function addMeasure(
  { point, sample }: ReadSample,
  { name }: SeriesType,
  others: { readonly fat?: number | null } | null,
  asked: PullRequest,
  page: LivePage,
): void {
  const recordId = `${name}/${point.id ?? new Date(sample.start).toISOString()}`
  const record = page.record(recordId, versionOf(point.body, others, asked.resources))
  record.samples.add(sample, name)
  if (others === null) return
  const source = sourceOf(recordId, { ms: sample.start, offset: sample.offset ?? null }, sample, asked)
  const field = FIELDS.get(name) ?? 'weight'
  record.summary(bodySummary(source, sample.start, { ...others, [field]: sample.value }))
}

/** Yields the profile, whatever the window is: it has the newest height, and nothing else of what a profile holds is known. */
export async function* pullProfile(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const window = { from: 0, to: asked.now + DAY_MS }
  const query = { type: HEIGHT, field: 'sample_time.physical_time', window, pageSize: 1 } as const
  for await (const points of pointsOf(session, query)) {
    // a page may be empty although others follow
    if (points.length === 0) continue
    const body = readPoint(points[0], HEIGHT)?.body
    const height = mappedValue(HEIGHT_FIELD, body)
    const time = body && readSampleTime(body)
    if (height === undefined || time === undefined) page.skip('height without a value or a time')
    else {
      const source = sourceOf('profile', time, { sourceType: 'app' }, asked)
      page.record('profile', versionOf(body)).summary(profileSummary(source, time.ms, { height }))
    }
    // the newest comes first
    break
  }
  yield page.take()
}

function sourceOf(
  recordId: string,
  { ms, offset }: RecordTime,
  { sourceType }: Pick<LiveSample, 'sourceType'>,
  { userId }: PullRequest,
): SummarySource {
  const date = localDate(ms, offset)
  return { userId, provider: PROVIDER, sourceType, recordId, date, offset }
}
