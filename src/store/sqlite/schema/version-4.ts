/** Version 4 of the schema. */

/**
 * Adds teams with their settings, and keys with their permissions; facts about a user other than the data (profile info, insurance,
 * devices, the state of pulls); connections with their errors; lab orders; and the audit trail, which cannot be changed. An order's
 * document contains the ordered items and the patient, and `result` contains the lab's report. `idempotency` contains first responses.
 */
export const VERSION_4 = `
ALTER TABLE team ADD COLUMN user_limit INTEGER;
ALTER TABLE team ADD COLUMN user_info_beta INTEGER NOT NULL DEFAULT 1;
ALTER TABLE team ADD COLUMN aggregate_beta INTEGER NOT NULL DEFAULT 1;
ALTER TABLE team ADD COLUMN compatibility_date TEXT;
CREATE UNIQUE INDEX team_by_name ON team (name);

ALTER TABLE api_key ADD COLUMN prefix TEXT NOT NULL DEFAULT '';
ALTER TABLE api_key ADD COLUMN is_operator INTEGER NOT NULL DEFAULT 1;
ALTER TABLE api_key ADD COLUMN last_used_at INTEGER;

ALTER TABLE connection ADD COLUMN error_type TEXT;
ALTER TABLE connection ADD COLUMN error_message TEXT;
ALTER TABLE connection ADD COLUMN errored_at INTEGER;
ALTER TABLE connection ADD COLUMN scopes TEXT;
ALTER TABLE connection ADD COLUMN is_demo INTEGER NOT NULL DEFAULT 0;

ALTER TABLE link_token ADD COLUMN oauth TEXT;

CREATE INDEX user_by_id ON user (team_id, user_id) WHERE deleted_at IS NULL;

CREATE TABLE user_info (
  user_id TEXT PRIMARY KEY,
  document TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE insurance (
  user_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  is_primary INTEGER NOT NULL,
  document TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, number)
) STRICT, WITHOUT ROWID;

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
  PRIMARY KEY (user_id, device_id)
) STRICT, WITHOUT ROWID;
INSERT INTO device (user_id, device_id, provider, source_type, app_id, created_at, updated_at)
  SELECT user_id, lower(device_id), provider, source_type, app_id, min(created_at), min(created_at) FROM summary
  WHERE device_id IS NOT NULL GROUP BY user_id, lower(device_id);

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
  PRIMARY KEY (user_id, provider, resource)
) STRICT, WITHOUT ROWID;

INSERT INTO job (user_id, kind, due_at)
  SELECT user_id, 'pause', CAST(strftime('%s', ingestion_end) AS INTEGER) * 1000 + 691200000 FROM user
  WHERE ingestion_end IS NOT NULL;

CREATE TABLE user_rate (
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  times TEXT NOT NULL,
  PRIMARY KEY (user_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE lab_order (
  user_id TEXT NOT NULL,
  order_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  document TEXT NOT NULL,
  result TEXT,
  rev INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX lab_order_key ON lab_order (user_id, order_id);
CREATE INDEX lab_order_by_time ON lab_order (team_id, created_at DESC, order_id);

CREATE TABLE team_lab_test (
  team_id TEXT NOT NULL,
  lab_test_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (team_id, lab_test_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  team_id TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  user_id TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (team_id, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_user ON idempotency (user_id);
CREATE INDEX idempotency_by_time ON idempotency (created_at);

CREATE TABLE audit (
  team_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  entry_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  operation TEXT NOT NULL,
  object TEXT NOT NULL,
  outcome TEXT NOT NULL,
  PRIMARY KEY (team_id, at, entry_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit (at, entry_id);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
`
