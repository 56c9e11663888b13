/** What Polar knows about the person: weight, height, fitness, age and sex. */
import { type EpochMs, type IsoDate, localDate, parseDate } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { bodySummary, profileSummary } from '../../shared/summaries.ts'
import { filled, hasValue, mappedValue, mappedValues } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { versionOf } from '../windows.ts'
import { BODY_FIELDS, KNOWN, PHYSICAL_SAMPLES, PROFILE_FIELDS, RESTING } from './mapping.ts'
import { PROVIDER, readIfAny, recordsIn, withUnderscores } from './requests.ts'
import { LocalTimes } from './times.ts'

const SOURCE = 'app'
const SEXES: Readonly<Record<string, string>> = { MALE: 'male', FEMALE: 'female' }

/**
 * Yields the profile, and the measured values as a record named after them and their time: unchanged ones are not written again, and
 * earlier ones stay.
 */
export async function* pullPhysicalInfo(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const info = await informationOf(session)
  if (info === undefined) return
  const page = new LivePage(PROVIDER, asked)
  const place = placeOf(asked, info)
  addProfile(page, place, info)
  addMeasured(page, place, info)
  countUnknown(info, 'physical_info', KNOWN.physical, page)
  yield page.take()
}

/** The resting heart rate in bpm, and the date since which it holds. */
export interface RestingRate {
  readonly bpm: number
  readonly since: IsoDate
}

/** Returns the resting heart rate, or null if Polar has none. Throws ProviderError. */
export async function restingRate(session: GrantSession, asked: PullRequest): Promise<RestingRate | null> {
  const info = await informationOf(session)
  const bpm = mappedValue(RESTING, info)
  return info === undefined || bpm === undefined ? null : { bpm, since: placeOf(asked, info).date }
}

async function informationOf(session: GrantSession): Promise<JsonObject | undefined> {
  const answer = await readIfAny(session, '/v3/users/physical-info')
  return recordsIn(answer, 'physical_informations', 'weight').map(withUnderscores)[0]
}

interface Place extends Pick<PullRequest, 'userId'> {
  readonly provider: string
  readonly sourceType: string
  readonly at: EpochMs
  readonly offset: number | null
  readonly date: IsoDate
}

/** Returns when the values were modified, or else when they were read. */
function placeOf({ userId, timeZone, now }: PullRequest, info: JsonObject): Place {
  const times = new LocalTimes([], timeZone)
  const { at, offset } = times.read(info['modified'], 'utc') ?? times.ofInstant(now)
  return {
    userId,
    provider: PROVIDER,
    sourceType: SOURCE,
    at,
    offset,
    date: localDate(at, offset),
  }
}

function addProfile(page: LivePage, place: Place, info: JsonObject): void {
  const birthday = asText(info['birthday'])
  const sex = SEXES[asText(info['gender'])?.toUpperCase() ?? ''] ?? null
  const fields = {
    ...filled(PROFILE_FIELDS, info),
    birth_date: birthday !== undefined && parseDate(birthday) !== undefined ? birthday : null,
    gender: sex,
    sex,
  }
  const record = page.record('profile', versionOf(fields))
  record.summary(profileSummary({ ...place, recordId: 'profile' }, place.at, fields))
}

function addMeasured(page: LivePage, place: Place, info: JsonObject): void {
  const values = [...mappedValues(PHYSICAL_SAMPLES, info)].map(({ rule, value }) => [rule.to, value] as const)
  if (values.length === 0) return
  const { at, offset } = place
  const version = versionOf(values, info['modified'] ?? null)
  const recordId = `measured ${version}`
  const record = page.record(recordId, version)
  const body = filled(BODY_FIELDS, info)
  if (hasValue(body)) record.summary(bodySummary({ ...place, recordId }, at, body))
  for (const [resource, value] of values) {
    record.samples.add({ resource, sourceType: SOURCE, start: at, value, offset }, `physical_info ${resource}`)
  }
}
