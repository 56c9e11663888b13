/** Reads Polar's data about the person: weight, height, fitness, age and sex. */
import { type IsoDate, localDate, parseDate } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import type { JsonObject } from '../../shared/json-fields.ts'
import { bodySummary, profileSummary } from '../../shared/summaries.ts'
import { filled, hasValue, mappedValue, mappedValues } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import { BODY_FIELDS, PHYSICAL_SAMPLES, PROFILE_FIELDS, RESTING } from './mapping.ts'
import { getRecords, type PolarList, withUnderscores } from './requests.ts'
import { LocalTimes, type TimeWithOffset } from './times.ts'

const INFORMATION: PolarList = { path: '/v3/users/physical-info', name: 'physical_informations', mark: 'weight' }
const SOURCE = 'app'
const SEXES: Readonly<Record<string, string>> = { MALE: 'male', FEMALE: 'female' }

/**
 * Adds the profile, and a record with the measured values. The record's ID is derived from the values and their time, so that unchanged
 * values are not written again and earlier values stay.
 */
export function addPhysicalInfo(sent: JsonObject, page: LivePage): void {
  const info = page.view('physical_info', sent)
  const time = infoTime(page.asked, info.value('modified'))
  addProfile(page, time, info)
  addMeasured(page, time, info)
  // read from the days instead
  info.number(RESTING.from)
}

/** The resting heart rate in bpm, and the date from which it applies. */
export interface RestingRate {
  readonly bpm: number
  readonly since: IsoDate
}

/** Returns the resting heart rate, or null if Polar has none. Throws ProviderError. */
export async function restingRate(session: TokenSession, asked: PullRequest): Promise<RestingRate | null> {
  const info = await physicalInfo(session)
  const bpm = mappedValue(RESTING, info)
  return info === null || bpm === undefined ? null : { bpm, since: infoTime(asked, info['modified']).date }
}

/** Returns Polar's data about the person, or null. Throws ProviderError. */
export async function physicalInfo(session: TokenSession): Promise<JsonObject | null> {
  const [info] = await getRecords(session, INFORMATION, {}, 'is empty')
  return info === undefined ? null : withUnderscores(info)
}

interface InfoTime extends TimeWithOffset {
  readonly date: IsoDate
}

/** Returns the time at which the values were modified, or else at which they were read. */
function infoTime({ timeZone, now }: PullRequest, modified: unknown): InfoTime {
  const times = new LocalTimes([], timeZone)
  const { at, offset } = times.read(modified, 'utc') ?? times.ofInstant(now)
  return { at, offset, date: localDate(at, offset) }
}

function addProfile(page: LivePage, { at, offset, date }: InfoTime, info: RecordView): void {
  const birthday = info.text('birthday')
  const sex = SEXES[info.text('gender')?.toUpperCase() ?? ''] ?? null
  const fields = {
    ...filled(PROFILE_FIELDS, info),
    birth_date: birthday !== undefined && parseDate(birthday) !== undefined ? birthday : null,
    gender: sex,
    sex,
  }
  const record = page.record('profile', contentVersion(fields))
  record.summary(profileSummary(page.source('profile', { sourceType: SOURCE, date, offset }), at, fields))
}

function addMeasured(page: LivePage, { at, offset, date }: InfoTime, info: RecordView): void {
  const values = [...mappedValues(PHYSICAL_SAMPLES, info)].map(({ rule, value }) => [rule.to, value] as const)
  if (values.length === 0) return
  const version = contentVersion(values, info.fields['modified'] ?? null)
  const recordId = `measured ${version}`
  const record = page.record(recordId, version)
  const body = filled(BODY_FIELDS, info)
  const source = page.source(recordId, { sourceType: SOURCE, date, offset })
  if (hasValue(body)) record.summary(bodySummary(source, at, body))
  for (const [resource, value] of values) {
    record.samples.add({ resource, sourceType: SOURCE, start: at, value, offset }, `physical_info ${resource}`)
  }
}
