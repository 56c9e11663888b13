/** Whether a database can be read at once and as it is, for a reader that must neither wait nor change anything. */
import { DatabaseSync } from '@photostructure/sqlite'
import { APPLICATION_ID, SCHEMA_VERSION } from './migrations.ts'

/** Returns false for a file that is absent, locked, damaged, not ours, or of another version. Never throws. */
export function isReady(database: string): boolean {
  let db: InstanceType<typeof DatabaseSync> | undefined
  try {
    // otherwise an absent file would be created
    db = new DatabaseSync(database, { readOnly: true })
    db.exec('PRAGMA busy_timeout=0')
    const found = db
      .prepare('SELECT user_version, application_id FROM pragma_user_version, pragma_application_id')
      .get()
    const { user_version, application_id } = found as Record<string, unknown> // a row is an object
    return user_version === SCHEMA_VERSION && application_id === APPLICATION_ID
  } catch {
    return false
  } finally {
    db?.close()
  }
}
