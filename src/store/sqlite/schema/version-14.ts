/** Version 14 of the schema. */

/** Adds the passkeys of people, and the challenges that were used. */
export const VERSION_14 = `
CREATE TABLE console_passkey (
  passkey_id TEXT NOT NULL PRIMARY KEY,
  person_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  credential_id TEXT NOT NULL,
  public_key BLOB NOT NULL,
  sign_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX console_passkey_by_credential ON console_passkey (credential_id);

CREATE TABLE console_challenge (
  hash TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
