import { BACK_TO_VERSION_5 } from './version-5.ts'

/** Statements that turn a database of the newest version back into one of version 4, for tests of the migration. */
export const BACK_TO_VERSION_4: readonly string[] = [
  ...BACK_TO_VERSION_5,
  'DROP TABLE "import_file"',
  'ALTER TABLE "team" DROP COLUMN keep_import_days',
  'ALTER TABLE "raw_answer" DROP COLUMN pull_id',
  'UPDATE svc_schema SET version=4',
]
