/** Version 7 of the schema: the statements that migrate a database from version 6. They are never edited after they are released. */

/** See version 14 of SQLite's schema. Sent one by one, as in version 4. */
export const VERSION_7: readonly string[] = [
  `CREATE TABLE "console_passkey" (
  passkey_id text COLLATE "C" NOT NULL,
  person_id text COLLATE "C" NOT NULL,
  team_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  host text COLLATE "C" NOT NULL,
  credential_id text COLLATE "C" NOT NULL,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint,
  PRIMARY KEY (passkey_id)
)`,
  'CREATE UNIQUE INDEX console_passkey_by_credential ON "console_passkey" (credential_id)',
  `CREATE TABLE "console_challenge" (
  hash text COLLATE "C" NOT NULL,
  team_id text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (hash)
)`,
]

/** Copies the passkeys to every machine of a Citus cluster, and lets every machine use the challenges. */
export const DISTRIBUTION_7: readonly string[] = [
  `SELECT create_reference_table('console_passkey')`,
  `SELECT citus_add_local_table_to_metadata('console_challenge')`,
]
