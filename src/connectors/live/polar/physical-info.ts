/** What Polar knows about the person: weight, height, fitness, age and sex. */
import { formatDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, fieldsOf, samplesOf } from '../field-mapping.ts'
import { type PullContext, pageOf, pullContext, RecordDraft, versionOf } from '../record-draft.ts'
import { bodyDocument, profileDocument } from '../summary-documents.ts'
import { KNOWN, PHYSICAL } from './mapping.ts'
import { readIfAny, recordsIn, withUnderscores } from './requests.ts'
import { LocalTimes } from './times.ts'

const SOURCE = 'app'
const SEXES: Readonly<Record<string, string>> = { MALE: 'male', FEMALE: 'female' }

/**
 * Yields the profile, and the measured values as a record named after them and their time: unchanged ones are not written again, and
 * earlier ones stay.
 */
export async function* pullPhysicalInfo(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const context = pullContext('polar', asked)
  const [found] = recordsIn(await readIfAny(session, '/v3/users/physical-info'), 'physical_informations', 'weight')
  if (found === undefined) return
  const info = withUnderscores(found)
  countUnknown(info, 'physical_info', KNOWN.physical, context.unmapped)
  yield pageOf(context, [profileRecord(context, info), measuredRecord(context, info)])
}

function profileRecord(context: PullContext, info: JsonObject): ProviderRecord {
  const { at, offset, date } = placeOf(context, info)
  const birthday = asText(info['birthday'])
  const sex = SEXES[asText(info['gender'])?.toUpperCase() ?? ''] ?? null
  const filled = {
    ...fieldsOf('profile', info, PHYSICAL),
    birth_date: birthday !== undefined && parseDate(birthday) !== undefined ? birthday : null,
    gender: sex,
    sex,
  }
  const draft = new RecordDraft(context, 'profile')
  draft.summary({ kind: 'profile', sourceType: SOURCE, at, date, offset, document: profileDocument(filled) })
  return draft.finish(versionOf(filled))
}

function measuredRecord(context: PullContext, info: JsonObject): ProviderRecord | null {
  const values = [...samplesOf(info, PHYSICAL)]
  if (values.length === 0) return null
  const { at, offset, date } = placeOf(context, info)
  const version = versionOf(values, info['modified'] ?? null)
  const draft = new RecordDraft(context, `measured ${version}`)
  const body = fieldsOf('body', info, PHYSICAL)
  if (Object.keys(body).length > 0) {
    draft.summary({ kind: 'body', sourceType: SOURCE, at, date, offset, document: bodyDocument(date, body) })
  }
  for (const [resource, value] of values) draft.sample(resource, SOURCE, { start: at, value, offset })
  return draft.finish(version)
}

/** Returns when the values were modified, or else when they were read. */
function placeOf({ asked }: PullContext, info: JsonObject) {
  const times = new LocalTimes([], asked.timeZone)
  const { at, offset } = times.read(info['modified'], 'utc') ?? times.ofInstant(asked.now)
  return { at, offset, date: formatDate(at + (offset ?? 0) * SECOND_MS) }
}
