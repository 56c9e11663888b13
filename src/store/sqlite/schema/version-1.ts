/** Version 1 of the schema. */

/**
 * The key of every table with user data begins with `user_id`, so that the same schema can be distributed by user. Times are epoch
 * milliseconds, dates are `YYYY-MM-DD`, and IDs are UUIDs as text.
 */
export const VERSION_1 = `
CREATE TABLE setting (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE team (
  team_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_on INTEGER NOT NULL,
  reject_duplicate_connection INTEGER NOT NULL DEFAULT 0,
  user_count INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE api_key (
  key_id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL REFERENCES team,
  hash TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL,
  created_on INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE directory (
  team_id TEXT NOT NULL,
  client_user_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (team_id, client_user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE user (
  user_id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL REFERENCES team,
  client_user_id TEXT NOT NULL,
  created_on INTEGER NOT NULL,
  fallback_time_zone TEXT,
  fallback_birth_date TEXT,
  ingestion_start TEXT,
  ingestion_end TEXT,
  deleted_at INTEGER,
  event_sequence INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX user_by_creation ON user (team_id, created_on DESC, user_id) WHERE deleted_at IS NULL;
CREATE INDEX user_by_deletion ON user (team_id, client_user_id, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE connection (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  created_on INTEGER NOT NULL,
  status TEXT NOT NULL,
  external_user_id TEXT,
  region TEXT,
  PRIMARY KEY (user_id, provider)
) STRICT, WITHOUT ROWID;
CREATE INDEX connection_by_account ON connection (provider, external_user_id) WHERE external_user_id IS NOT NULL;

CREATE TABLE link_token (
  user_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  team_id TEXT NOT NULL,
  created_on INTEGER NOT NULL,
  options TEXT NOT NULL,
  consumed_at INTEGER,
  pending TEXT,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE series (
  user_id TEXT NOT NULL,
  series_id INTEGER NOT NULL,
  resource TEXT NOT NULL,
  type TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  PRIMARY KEY (user_id, series_id),
  UNIQUE (user_id, resource, type, provider, source_type)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunk (
  user_id TEXT NOT NULL,
  series_id INTEGER NOT NULL,
  chunk_start INTEGER NOT NULL,
  span INTEGER NOT NULL,
  n INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  min REAL,
  max REAL,
  sum REAL,
  rev INTEGER NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX chunk_key ON chunk (user_id, series_id, chunk_start);

CREATE TABLE summary (
  user_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  app_id TEXT,
  device_id TEXT,
  at INTEGER NOT NULL,
  date TEXT NOT NULL,
  zone_offset INTEGER,
  document TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX summary_key ON summary (user_id, kind, id);
CREATE INDEX summary_by_date ON summary (user_id, kind, date, at, id);

CREATE TABLE outbox (
  user_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  series_id INTEGER,
  n INTEGER NOT NULL,
  data BLOB,
  document TEXT,
  rev INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX outbox_key ON outbox (user_id, sequence);
`
