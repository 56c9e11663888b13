/** The part of version 6 that gives every row of user data a checksum. */

/**
 * Adds a checksum to every row of user data. It is null in a row from an older schema that has not been written since. In a table without
 * rowid, rows are stored by key, so that a row with a damaged key would disappear without any error. Such tables therefore get a rowid and
 * a unique index, which shows that a row is missing. They are small, and are rebuilt from a copy, because each renaming would read the
 * whole schema again.
 *
 * The setting means that there may be rows without a checksum. Without the setting, a missing checksum is damage. `counters_checksum`
 * covers the counters that change with each write. For a chunk, `data_checksum` covers the blob and its key, and `checksum` covers the
 * other columns.
 */
export const CHECKSUMS = `
INSERT INTO setting (name, value) SELECT 'unchecked_rows', 1 WHERE EXISTS (SELECT 1 FROM user) OR EXISTS (SELECT 1 FROM series);
ALTER TABLE chunk ADD COLUMN data_checksum INTEGER;
ALTER TABLE chunk ADD COLUMN checksum INTEGER;
ALTER TABLE summary ADD COLUMN checksum INTEGER;
ALTER TABLE stream ADD COLUMN checksum INTEGER;
ALTER TABLE outbox ADD COLUMN checksum INTEGER;
ALTER TABLE import_before ADD COLUMN checksum INTEGER;
ALTER TABLE lab_order ADD COLUMN checksum INTEGER;

CREATE TEMP TABLE old AS SELECT * FROM user;
DROP TABLE user;
CREATE TABLE user (
  user_id TEXT NOT NULL,
  team_id TEXT NOT NULL REFERENCES team,
  client_user_id TEXT NOT NULL,
  created_on INTEGER NOT NULL,
  fallback_time_zone TEXT,
  fallback_birth_date TEXT,
  ingestion_start TEXT,
  ingestion_end TEXT,
  deleted_at INTEGER,
  event_sequence INTEGER NOT NULL DEFAULT 0,
  event_floor INTEGER NOT NULL DEFAULT 0,
  counters_checksum INTEGER,
  checksum INTEGER
) STRICT;
INSERT INTO user (user_id, team_id, client_user_id, created_on, fallback_time_zone, fallback_birth_date, ingestion_start,
  ingestion_end, deleted_at, event_sequence, event_floor)
  SELECT user_id, team_id, client_user_id, created_on, fallback_time_zone, fallback_birth_date, ingestion_start, ingestion_end,
    deleted_at, event_sequence, event_floor FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX user_key ON user (user_id);
CREATE INDEX user_by_creation ON user (team_id, created_on DESC, user_id) WHERE deleted_at IS NULL;
CREATE INDEX user_by_id ON user (team_id, user_id) WHERE deleted_at IS NULL;
CREATE INDEX user_by_name ON user (team_id, client_user_id, deleted_at);

CREATE TEMP TABLE old AS SELECT * FROM connection;
DROP TABLE connection;
CREATE TABLE connection (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  created_on INTEGER NOT NULL,
  status TEXT NOT NULL,
  external_user_id TEXT,
  region TEXT,
  error_type TEXT,
  error_message TEXT,
  errored_at INTEGER,
  scopes TEXT,
  is_demo INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER
) STRICT;
INSERT INTO connection (user_id, provider, created_on, status, external_user_id, region, error_type, error_message, errored_at,
  scopes, is_demo)
  SELECT user_id, provider, created_on, status, external_user_id, region, error_type, error_message, errored_at, scopes,
    is_demo FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX connection_key ON connection (user_id, provider);
CREATE INDEX connection_by_account ON connection (provider, external_user_id) WHERE external_user_id IS NOT NULL;

CREATE TEMP TABLE old AS SELECT * FROM series;
DROP TABLE series;
CREATE TABLE series (
  user_id TEXT NOT NULL,
  series_id INTEGER NOT NULL,
  resource TEXT NOT NULL,
  type TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  checksum INTEGER
) STRICT;
INSERT INTO series (user_id, series_id, resource, type, provider, source_type)
  SELECT user_id, series_id, resource, type, provider, source_type FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX series_key ON series (user_id, series_id);
CREATE UNIQUE INDEX series_by_name ON series (user_id, resource, type, provider, source_type);

CREATE TEMP TABLE old AS SELECT * FROM user_info;
DROP TABLE user_info;
CREATE TABLE user_info (
  user_id TEXT NOT NULL,
  document TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  checksum INTEGER
) STRICT;
INSERT INTO user_info (user_id, document, updated_at)
  SELECT user_id, document, updated_at FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX user_info_key ON user_info (user_id);

CREATE TEMP TABLE old AS SELECT * FROM insurance;
DROP TABLE insurance;
CREATE TABLE insurance (
  user_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  is_primary INTEGER NOT NULL,
  document TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  checksum INTEGER
) STRICT;
INSERT INTO insurance (user_id, number, is_primary, document, created_at)
  SELECT user_id, number, is_primary, document, created_at FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX insurance_key ON insurance (user_id, number);

CREATE TEMP TABLE old AS SELECT * FROM device;
DROP TABLE device;
CREATE TABLE device (
  user_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  app_id TEXT,
  manufacturer TEXT,
  model TEXT,
  version TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  checksum INTEGER
) STRICT;
INSERT INTO device (user_id, device_id, provider, source_type, app_id, manufacturer, model, version, created_at, updated_at)
  SELECT user_id, device_id, provider, source_type, app_id, manufacturer, model, version, created_at, updated_at FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX device_key ON device (user_id, device_id);

CREATE TEMP TABLE old AS SELECT * FROM pull;
DROP TABLE pull;
CREATE TABLE pull (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  resource TEXT NOT NULL,
  range_start INTEGER,
  range_end INTEGER,
  ended_at INTEGER,
  days_with_data INTEGER,
  trace_id TEXT,
  last_attempt_at INTEGER,
  last_attempt_status TEXT,
  sent_count INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER
) STRICT;
INSERT INTO pull (user_id, provider, resource, range_start, range_end, ended_at, days_with_data, trace_id, last_attempt_at,
  last_attempt_status, sent_count)
  SELECT user_id, provider, resource, range_start, range_end, ended_at, days_with_data, trace_id, last_attempt_at,
    last_attempt_status, sent_count FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX pull_key ON pull (user_id, provider, resource);

CREATE TEMP TABLE old AS SELECT * FROM import;
DROP TABLE import;
CREATE TABLE import (
  user_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  format TEXT NOT NULL,
  report TEXT NOT NULL,
  first_sequence INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  undone_at INTEGER,
  checksum INTEGER
) STRICT;
INSERT INTO import (user_id, import_id, at, format, report, first_sequence, last_sequence, undone_at)
  SELECT user_id, import_id, at, format, report, first_sequence, last_sequence, undone_at FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX import_key ON import (user_id, import_id);
CREATE INDEX import_by_time ON import (user_id, at DESC);

CREATE TEMP TABLE old AS SELECT * FROM continuous_row;
DROP TABLE continuous_row;
CREATE TABLE continuous_row (
  user_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  key TEXT NOT NULL,
  cells TEXT NOT NULL,
  checksum INTEGER
) STRICT;
INSERT INTO continuous_row (user_id, query_id, bucket, key, cells)
  SELECT user_id, query_id, bucket, key, cells FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX continuous_row_key ON continuous_row (user_id, query_id, bucket, key);

CREATE TEMP TABLE old AS SELECT * FROM continuous_state;
DROP TABLE continuous_state;
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
  checksum INTEGER
) STRICT;
INSERT INTO continuous_state (user_id, query_id, touched_from, touched_to, running_from, running_to, last_run_at, rev, last_task,
  scheduled_task, running_task)
  SELECT user_id, query_id, touched_from, touched_to, running_from, running_to, last_run_at, rev, last_task, scheduled_task,
    running_task FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX continuous_state_key ON continuous_state (user_id, query_id);
CREATE INDEX continuous_state_by_query ON continuous_state (query_id, user_id);

CREATE TEMP TABLE old AS SELECT * FROM continuous_task;
DROP TABLE continuous_task;
CREATE TABLE continuous_task (
  user_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL,
  scheduled_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  error_details TEXT,
  checksum INTEGER
) STRICT;
INSERT INTO continuous_task (user_id, query_id, number, status, scheduled_at, started_at, ended_at, error_details)
  SELECT user_id, query_id, number, status, scheduled_at, started_at, ended_at, error_details FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX continuous_task_key ON continuous_task (user_id, query_id, number);

CREATE TEMP TABLE old AS SELECT * FROM person;
DROP TABLE person;
CREATE TABLE person (
  user_id TEXT NOT NULL,
  seed INTEGER NOT NULL,
  number INTEGER NOT NULL,
  checksum INTEGER
) STRICT;
INSERT INTO person (user_id, seed, number)
  SELECT user_id, seed, number FROM old;
DROP TABLE old;
CREATE UNIQUE INDEX person_key ON person (user_id);
`
