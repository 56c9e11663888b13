/** The console in version 3 of the schema in PostgreSQL, as in version 10 of that of SQLite. */
export const VERSION_3_CONSOLE = `
CREATE TABLE console_session (
  hash TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL,
  key_id TEXT,
  created_at bigint NOT NULL,
  last_seen_at bigint NOT NULL
);

CREATE TABLE console_token (
  hash TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL,
  key_id TEXT,
  expires_at bigint NOT NULL
);
`
