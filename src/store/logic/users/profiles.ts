/** Stores the profile info and insurances of users as rows. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { part, read, writeAbout } from '../part.ts'
import { storedJson } from '../rows/damage.ts'
import { INSURANCES, type InsuranceRow, USER_INFO } from '../rows/tables.ts'
import { many, one, query, type Steps } from '../steps.ts'
import { withinQuota } from '../teams/stored-bytes.ts'
import { requireActive } from './users.ts'

/** A validated and completed document. All of it is sensitive. */
type PersonalDocument = Readonly<Record<string, unknown>>

const FIND_INFO = USER_INFO.query('WHERE user_id=?')
const INSURANCES_OF_USER = INSURANCES.query('WHERE user_id=? ORDER BY number')
const LATEST_INSURANCES = INSURANCES.query('WHERE user_id=? ORDER BY number DESC')
const LAST_NUMBER = query<{ readonly last: number | null }>('SELECT max(number) AS last FROM insurance WHERE user_id=?')

/** The calls for personal documents. Changes throw ServiceError `quota_exceeded` if the team would exceed its storage limit. */
export class ProfileStore extends part({
  putInfo: writeAbout((userId: UserId, document: PersonalDocument, at: EpochMs) =>
    withinQuota(userId, () => putInfo(userId, document, at)),
  ),
  info: read(findInfo),
  addInsurance: writeAbout((userId: UserId, insurance: PersonalDocument, isPrimary: boolean, at: EpochMs) =>
    withinQuota(userId, () => insertInsurance(userId, insurance, isPrimary, at)),
  ),
  insurances: read(listInsurances),
  latestInsurance: read(latestInsurance),
}) {}

/** Replaces an active user's profile info. Throws ServiceError `user_not_found` if the user was deleted in the meantime. */
function* putInfo(userId: UserId, document: PersonalDocument, at: EpochMs): Steps<void> {
  yield* requireActive(userId)
  yield* USER_INFO.put({ user_id: userId, document: JSON.stringify(document), updated_at: at })
}

function* findInfo(userId: UserId): Steps<PersonalDocument | null> {
  const row = yield* one(FIND_INFO, [userId])
  return row ? storedJson<PersonalDocument>(row.document, () => USER_INFO.damageLocation(row)) : null
}

/** Adds an active user's insurance. Throws the same errors as `putInfo`. */
function* insertInsurance(userId: UserId, insurance: PersonalDocument, isPrimary: boolean, at: EpochMs): Steps<void> {
  yield* requireActive(userId)
  yield* INSURANCES.insert({
    user_id: userId,
    number: ((yield* one(LAST_NUMBER, [userId]))?.last ?? 0) + 1,
    is_primary: isPrimary ? 1 : 0,
    document: JSON.stringify(insurance),
    created_at: at,
  })
}

/** Returns all insurances in the order in which they were added. */
function* listInsurances(userId: UserId): Steps<PersonalDocument[]> {
  return (yield* many(INSURANCES_OF_USER, [userId])).map(readInsurance)
}

/** Returns the insurance that was added last, among primary insurances (true), other insurances (false) or all insurances (null). */
function* latestInsurance(userId: UserId, isPrimary: boolean | null): Steps<PersonalDocument | null> {
  const rows = yield* many(LATEST_INSURANCES, [userId])
  const latest = rows.find(row => isPrimary === null || row.is_primary === Number(isPrimary))
  return latest ? readInsurance(latest) : null
}

function readInsurance(row: InsuranceRow): PersonalDocument {
  return storedJson<PersonalDocument>(row.document, () => INSURANCES.damageLocation(row))
}
