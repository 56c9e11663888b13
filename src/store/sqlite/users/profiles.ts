/** Profile info and insurance of users as rows. */
import type { UserId } from '../../../core/ids.ts'
import type { PersonalDocument, ProfileStore } from '../../profile.ts'
import type { Connection } from '../connection.ts'
import { requireActive } from './users.ts'

interface DocumentRow {
  readonly document: string
}

export class SqliteProfiles implements ProfileStore {
  private readonly db: Connection

  constructor(db: Connection) {
    this.db = db
  }

  putInfo(userId: UserId, document: PersonalDocument, at: number) {
    return this.db.write(() => {
      requireActive(this.db, userId)
      this.db.run(
        `INSERT INTO user_info (user_id, document, updated_at) VALUES (?,?,?)
         ON CONFLICT (user_id) DO UPDATE SET document=excluded.document, updated_at=excluded.updated_at`,
        userId,
        JSON.stringify(document),
        at,
      )
    })
  }

  info(userId: UserId) {
    const sql = 'SELECT document FROM user_info WHERE user_id=?'
    return this.db.read(() => documentOf(this.db.get<DocumentRow>(sql, userId)))
  }

  addInsurance(userId: UserId, insurance: PersonalDocument, isPrimary: boolean, at: number) {
    return this.db.write(() => {
      requireActive(this.db, userId)
      this.db.run(
        `INSERT INTO insurance (user_id, number, is_primary, document, created_at)
         SELECT ?, coalesce(max(number), 0)+1, ?, ?, ? FROM insurance WHERE user_id=?`,
        userId,
        isPrimary ? 1 : 0,
        JSON.stringify(insurance),
        at,
        userId,
      )
    })
  }

  insurances(userId: UserId) {
    const sql = 'SELECT document FROM insurance WHERE user_id=? ORDER BY number'
    return this.db.read(() =>
      this.db.all<DocumentRow>(sql, userId).map(row => JSON.parse(row.document) as PersonalDocument),
    )
  }

  latestInsurance(userId: UserId, isPrimary: boolean | null) {
    const wanted = isPrimary === null ? null : Number(isPrimary)
    const sql = `SELECT document FROM insurance WHERE user_id=? AND (? IS NULL OR is_primary=?) ORDER BY number DESC LIMIT 1`
    return this.db.read(() => documentOf(this.db.get<DocumentRow>(sql, userId, wanted, wanted)))
  }
}

function documentOf(row: DocumentRow | undefined): PersonalDocument | null {
  return row ? (JSON.parse(row.document) as PersonalDocument) : null
}
