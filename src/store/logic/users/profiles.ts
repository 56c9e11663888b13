/** Profile info and insurance of users as rows. */
import type { UserId } from '../../../core/ids.ts'
import type { PersonalDocument, ProfileStore } from '../../profile.ts'
import { Part } from '../part.ts'
import { storedJson } from '../rows/damage.ts'
import { INSURANCES, type InsuranceRow, USER_INFO } from '../rows/tables.ts'
import { many, one, query, type Steps } from '../steps.ts'
import { withinQuota } from '../teams/stored-bytes.ts'
import { requireActive } from './users.ts'

const FIND_INFO = USER_INFO.query('WHERE user_id=?')
const INSURANCES_OF_USER = INSURANCES.query('WHERE user_id=? ORDER BY number')
const LATEST_INSURANCES = INSURANCES.query('WHERE user_id=? ORDER BY number DESC')
const LAST_NUMBER = query<{ readonly last: number | null }>('SELECT max(number) AS last FROM insurance WHERE user_id=?')

export class StoredProfiles extends Part implements ProfileStore {
  putInfo(userId: UserId, document: PersonalDocument, at: number) {
    return this.writeAbout(userId, () => withinQuota(userId, () => putInfo(userId, document, at)))
  }

  info(userId: UserId) {
    return this.db.read(() => findInfo(userId))
  }

  addInsurance(userId: UserId, insurance: PersonalDocument, isPrimary: boolean, at: number) {
    return this.writeAbout(userId, () => withinQuota(userId, () => insertInsurance(userId, insurance, isPrimary, at)))
  }

  insurances(userId: UserId) {
    return this.db.read(() => listInsurances(userId))
  }

  latestInsurance(userId: UserId, isPrimary: boolean | null) {
    return this.db.read(() => latestInsurance(userId, isPrimary))
  }
}

function* putInfo(userId: UserId, document: PersonalDocument, at: number): Steps<void> {
  yield* requireActive(userId)
  yield* USER_INFO.put({ user_id: userId, document: JSON.stringify(document), updated_at: at })
}

function* findInfo(userId: UserId): Steps<PersonalDocument | null> {
  const row = yield* one(FIND_INFO, [userId])
  return row ? storedJson<PersonalDocument>(row.document, () => USER_INFO.placeOf(row)) : null
}

function* insertInsurance(userId: UserId, insurance: PersonalDocument, isPrimary: boolean, at: number): Steps<void> {
  yield* requireActive(userId)
  yield* INSURANCES.insert({
    user_id: userId,
    number: ((yield* one(LAST_NUMBER, [userId]))?.last ?? 0) + 1,
    is_primary: isPrimary ? 1 : 0,
    document: JSON.stringify(insurance),
    created_at: at,
  })
}

function* listInsurances(userId: UserId): Steps<PersonalDocument[]> {
  return (yield* many(INSURANCES_OF_USER, [userId])).map(insuranceOf)
}

function* latestInsurance(userId: UserId, isPrimary: boolean | null): Steps<PersonalDocument | null> {
  const rows = yield* many(LATEST_INSURANCES, [userId])
  const latest = rows.find(row => isPrimary === null || row.is_primary === Number(isPrimary))
  return latest ? insuranceOf(latest) : null
}

function insuranceOf(row: InsuranceRow): PersonalDocument {
  return storedJson<PersonalDocument>(row.document, () => INSURANCES.placeOf(row))
}
