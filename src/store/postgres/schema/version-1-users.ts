/**
 * Version 1 of the schema in PostgreSQL: users, and what is known about them besides the data. The tables are those of SQLite's schema 8, so
 * that the same statements run on both: times are epoch milliseconds, dates and documents are texts, and checksums stand beside what they
 * cover.
 */
export const USERS = `
CREATE TABLE "user" (
  user_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  client_user_id TEXT NOT NULL,
  created_on bigint NOT NULL,
  fallback_time_zone TEXT,
  fallback_birth_date TEXT,
  ingestion_start TEXT,
  ingestion_end TEXT,
  deleted_at bigint,
  event_sequence bigint NOT NULL DEFAULT 0,
  event_floor bigint NOT NULL DEFAULT 0,
  counters_checksum bigint,
  checksum bigint,
  stored_bytes bigint,
  PRIMARY KEY (user_id)
);
CREATE INDEX user_by_creation ON "user" (team_id, created_on DESC, user_id) WHERE deleted_at IS NULL;
CREATE INDEX user_by_id ON "user" (team_id, user_id) WHERE deleted_at IS NULL;
CREATE INDEX user_by_name ON "user" (team_id, client_user_id, deleted_at);

CREATE TABLE connection (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  created_on bigint NOT NULL,
  status TEXT NOT NULL,
  external_user_id TEXT,
  region TEXT,
  error_type TEXT,
  error_message TEXT,
  errored_at bigint,
  scopes TEXT,
  is_demo bigint NOT NULL DEFAULT 0,
  checksum bigint,
  PRIMARY KEY (user_id, provider)
);

CREATE TABLE link_token (
  user_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  team_id TEXT NOT NULL,
  created_on bigint NOT NULL,
  options TEXT NOT NULL,
  consumed_at bigint,
  pending TEXT,
  oauth TEXT,
  PRIMARY KEY (user_id, hash)
);

CREATE TABLE person (
  user_id TEXT NOT NULL,
  seed bigint NOT NULL,
  number bigint NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id)
);

CREATE TABLE user_info (
  user_id TEXT NOT NULL,
  document TEXT NOT NULL,
  updated_at bigint NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id)
);

CREATE TABLE insurance (
  user_id TEXT NOT NULL,
  number bigint NOT NULL,
  is_primary bigint NOT NULL,
  document TEXT NOT NULL,
  created_at bigint NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id, number)
);

CREATE TABLE device (
  user_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  app_id TEXT,
  manufacturer TEXT,
  model TEXT,
  version TEXT,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id, device_id)
);

CREATE TABLE pull (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  resource TEXT NOT NULL,
  range_start bigint,
  range_end bigint,
  ended_at bigint,
  days_with_data bigint,
  trace_id TEXT,
  last_attempt_at bigint,
  last_attempt_status TEXT,
  sent_count bigint NOT NULL DEFAULT 0,
  checksum bigint,
  PRIMARY KEY (user_id, provider, resource)
);

CREATE TABLE user_rate (
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  times TEXT NOT NULL,
  PRIMARY KEY (user_id, name)
);

CREATE TABLE lab_order (
  user_id TEXT NOT NULL,
  order_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  document TEXT NOT NULL,
  result TEXT,
  rev bigint NOT NULL DEFAULT 0,
  checksum bigint,
  PRIMARY KEY (user_id, order_id)
);
CREATE INDEX lab_order_by_time ON lab_order (team_id, created_at DESC, order_id);

CREATE TABLE job (
  user_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (user_id, kind)
);
CREATE INDEX job_by_due ON job (due_at);

CREATE TABLE user_answer (
  user_id TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  call_id TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  created_at bigint NOT NULL,
  status bigint,
  answer bytea,
  PRIMARY KEY (user_id, key_hash)
);
CREATE INDEX user_answer_by_time ON user_answer (created_at);
`
