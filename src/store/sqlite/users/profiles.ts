/** Profile info and insurance of users as rows. */
import type { UserId } from '../../../core/ids.ts'
import type { PersonalDocument, ProfileStore } from '../../profile.ts'
import { storedJson } from '../checksums/damage.ts'
import { INSURANCES, type InsuranceRow, USER_INFO } from '../checksums/more-tables.ts'
import { Part } from '../part.ts'
import { withinQuota } from '../teams/stored-bytes.ts'
import { requireActive } from './users.ts'

export class SqliteProfiles extends Part implements ProfileStore {
  putInfo(userId: UserId, document: PersonalDocument, at: number) {
    return this.write(userId, () => {
      requireActive(this.db, userId)
      USER_INFO.put(this.db, { user_id: userId, document: JSON.stringify(document), updated_at: at })
    })
  }

  private write(userId: UserId, change: () => void): Promise<void> {
    return this.db.write(() => withinQuota(this.db, userId, change))
  }

  info(userId: UserId) {
    return this.db.read(() => {
      const row = USER_INFO.get(this.db, 'WHERE user_id=?', userId)
      return row ? storedJson<PersonalDocument>(row.document, () => USER_INFO.placeOf(row)) : null
    })
  }

  addInsurance(userId: UserId, insurance: PersonalDocument, isPrimary: boolean, at: number) {
    return this.write(userId, () => {
      requireActive(this.db, userId)
      const sql = 'SELECT max(number) AS last FROM insurance WHERE user_id=?'
      INSURANCES.insert(this.db, {
        user_id: userId,
        number: (this.db.get<{ last: number | null }>(sql, userId)?.last ?? 0) + 1,
        is_primary: isPrimary ? 1 : 0,
        document: JSON.stringify(insurance),
        created_at: at,
      })
    })
  }

  insurances(userId: UserId) {
    return this.db.read(() => INSURANCES.all(this.db, 'WHERE user_id=? ORDER BY number', userId).map(insuranceOf))
  }

  latestInsurance(userId: UserId, isPrimary: boolean | null) {
    return this.db.read(() => {
      const rows = INSURANCES.all(this.db, 'WHERE user_id=? ORDER BY number DESC', userId)
      const latest = rows.find(row => isPrimary === null || row.is_primary === Number(isPrimary))
      return latest ? insuranceOf(latest) : null
    })
  }
}

function insuranceOf(row: InsuranceRow): PersonalDocument {
  return storedJson<PersonalDocument>(row.document, () => INSURANCES.placeOf(row))
}
