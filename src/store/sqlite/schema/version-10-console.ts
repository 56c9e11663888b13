/**
 * The console in version 10 of the schema: sessions and the one-time tokens that start them, by the hash of their secret. `key_id` is null
 * for the owner of the data folder. Their times are those of the real clock.
 */
export const VERSION_10_CONSOLE = `
CREATE TABLE console_session (
  hash TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL,
  key_id TEXT,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE console_token (
  hash TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL,
  key_id TEXT,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
