/** Statements that turn a database of the newest version back into one of version 6, for tests of the migration. */
export const BACK_TO_VERSION_6: readonly string[] = [
  'DROP TABLE "console_passkey"',
  'DROP TABLE "console_challenge"',
  'UPDATE svc_schema SET version=6',
]
