import { BACK_TO_VERSION_4 } from './version-4.ts'

/** Statements that turn a database of the newest version back into one of version 3, for tests of the migration. */
export const BACK_TO_VERSION_3: readonly string[] = [
  ...BACK_TO_VERSION_4,
  'DROP TABLE "source_order"',
  'DROP TABLE "user_source_order"',
  'DROP TABLE "session_match"',
  'ALTER TABLE "team" DROP COLUMN merges',
  'ALTER TABLE "team" DROP COLUMN mixed_kinds',
  'DROP INDEX series_by_origin',
  'ALTER TABLE "series" DROP COLUMN app_id',
  'ALTER TABLE "series" DROP COLUMN device_id',
  'ALTER TABLE "series" DROP COLUMN kind',
  'CREATE UNIQUE INDEX series_by_name ON "series" (user_id, resource, type, provider, source_type)',
  'UPDATE svc_schema SET version=3',
]
