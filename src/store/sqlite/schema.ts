/** The schema, version by version. A version that has been released is never edited: a change is a new version. */

/**
 * `user_id` leads the key of everything that holds user data, so that the same schema can be distributed by it (design 4).
 * Times are epoch milliseconds, dates `YYYY-MM-DD`, ids uuid text.
 */
const VERSION_1 = `
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

/**
 * Workout streams, imports that can be undone, and jobs. `import_before` holds what an import found: samples it replaced, as a
 * chunk, and summaries and streams as they were (null: there was none); what it brought stands in its events. A tombstone is
 * all that is left of a purged user: its client_user_id is a hash.
 */
const VERSION_2 = `
CREATE TABLE stream (
  user_id TEXT NOT NULL,
  workout_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  n INTEGER NOT NULL,
  rev INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX stream_key ON stream (user_id, workout_id);

CREATE TABLE import (
  user_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  format TEXT NOT NULL,
  report TEXT NOT NULL,
  first_sequence INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  undone_at INTEGER,
  PRIMARY KEY (user_id, import_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX import_by_time ON import (user_id, at DESC);

CREATE TABLE import_before (
  user_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  ord INTEGER NOT NULL,
  kind TEXT NOT NULL,
  item TEXT NOT NULL,
  rev INTEGER,
  data BLOB,
  document TEXT
) STRICT;
CREATE UNIQUE INDEX import_before_key ON import_before (user_id, import_id, ord);

CREATE TABLE job (
  user_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_by_due ON job (due_at);
INSERT INTO job (user_id, kind, due_at) SELECT user_id, 'purge', deleted_at + 604800000 FROM user WHERE deleted_at IS NOT NULL;

CREATE TABLE tombstone (
  team_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  client_user_hash TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_by_client ON tombstone (team_id, client_user_hash, deleted_at);
`

/**
 * Source priorities of teams, and continuous queries. `continuous_state` says of a user what was touched since the last run and
 * what the run at work is about; `rev` counts the runs begun, so that only the latest one may commit. In `source_priority` a
 * source type that is empty stands for all.
 */
const VERSION_3 = `
CREATE TABLE source_priority (
  team_id TEXT NOT NULL,
  data_type TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  priority INTEGER NOT NULL,
  PRIMARY KEY (team_id, data_type, provider, source_type)
) STRICT, WITHOUT ROWID;

CREATE TABLE continuous_query (
  team_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  definition TEXT NOT NULL,
  minimum_gap INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, query_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX continuous_query_by_slug ON continuous_query (team_id, slug);

CREATE TABLE continuous_state (
  user_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  touched_from INTEGER,
  touched_to INTEGER,
  running_from INTEGER,
  running_to INTEGER,
  last_run_at INTEGER,
  rev INTEGER NOT NULL,
  last_task INTEGER NOT NULL,
  scheduled_task INTEGER,
  running_task INTEGER,
  PRIMARY KEY (user_id, query_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX continuous_state_by_query ON continuous_state (query_id, user_id);

CREATE TABLE continuous_row (
  user_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  key TEXT NOT NULL,
  cells TEXT NOT NULL,
  PRIMARY KEY (user_id, query_id, bucket, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE continuous_task (
  user_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL,
  scheduled_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  error_details TEXT,
  PRIMARY KEY (user_id, query_id, number)
) STRICT, WITHOUT ROWID;
`

/** What brings an empty file to version 1, that one to 2, and so on. */
export const VERSIONS: readonly string[] = [VERSION_1, VERSION_2, VERSION_3]
