/** Statements that turn a database of version 5 back into one of version 4, for tests of the migration. */
export const BACK_TO_VERSION_4: readonly string[] = [
  'DROP TABLE "import_file"',
  'ALTER TABLE "team" DROP COLUMN keep_import_days',
  'ALTER TABLE "raw_answer" DROP COLUMN pull_id',
  'UPDATE svc_schema SET version=4',
]
