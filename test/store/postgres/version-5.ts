import { BACK_TO_VERSION_6 } from './version-6.ts'

/** Statements that turn a database of the newest version back into one of version 5, for tests of the migration. */
export const BACK_TO_VERSION_5: readonly string[] = [
  ...BACK_TO_VERSION_6,
  'DROP TABLE "counter"',
  'DROP INDEX connection_by_status',
  'DROP TABLE "console_person"',
  'ALTER TABLE "console_session" DROP COLUMN person_id',
  'ALTER TABLE "console_session" DROP COLUMN browser',
  'ALTER TABLE "console_token" DROP COLUMN person_id',
  'UPDATE svc_schema SET version=5',
]
