/** Version 9 of the schema. */

/**
 * Live providers, whose times are those of the real clock. Grants, set-ups, budgets, notifications, subscriptions and raw answers belong to
 * this store alone: copies that leave it do not have them, and a restore keeps them. `live_connection` and `live_record` are state like any
 * other. The lease of a connection is not covered by its checksum, because a restore ends all leases at once.
 */
export const VERSION_9 = `
CREATE TABLE provider_setup (
  team_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  document TEXT NOT NULL,
  sealed BLOB NOT NULL,
  notification_hash TEXT NOT NULL,
  created_on INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, provider)
) STRICT, WITHOUT ROWID;

CREATE TABLE provider_budget (
  team_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  taken TEXT NOT NULL,
  blocked_until INTEGER,
  PRIMARY KEY (team_id, provider)
) STRICT, WITHOUT ROWID;

CREATE TABLE person_budget (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  taken TEXT NOT NULL,
  blocked_until INTEGER,
  PRIMARY KEY (user_id, provider)
) STRICT, WITHOUT ROWID;

CREATE TABLE provider_notification (
  team_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  notification_id TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  sealed BLOB,
  settled_at INTEGER,
  PRIMARY KEY (team_id, provider, notification_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_notification_by_due ON provider_notification (due_at, received_at) WHERE settled_at IS NULL;
CREATE INDEX provider_notification_by_end ON provider_notification (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE provider_subscription (
  team_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  name TEXT NOT NULL,
  remote_id TEXT NOT NULL,
  expires_at INTEGER,
  due_at INTEGER,
  failures INTEGER NOT NULL,
  last_error TEXT,
  sealed BLOB,
  PRIMARY KEY (team_id, provider, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_subscription_by_due ON provider_subscription (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE provider_grant (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  grant_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  state TEXT NOT NULL,
  key_id TEXT NOT NULL,
  expires_at INTEGER,
  rev INTEGER NOT NULL,
  leased_by TEXT,
  leased_until INTEGER NOT NULL,
  renewing_since INTEGER,
  tries INTEGER NOT NULL,
  due_at INTEGER,
  sealed BLOB,
  checksum INTEGER
) STRICT;
CREATE UNIQUE INDEX provider_grant_key ON provider_grant (user_id, provider, grant_id);
CREATE INDEX provider_grant_by_due ON provider_grant (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE live_connection (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  team_id TEXT NOT NULL,
  linked_at INTEGER NOT NULL,
  due_at INTEGER,
  in_history INTEGER NOT NULL,
  last_pull_at INTEGER,
  progress TEXT NOT NULL,
  hastened TEXT,
  announced TEXT NOT NULL,
  subscriptions TEXT NOT NULL,
  leased_by TEXT,
  leased_until INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER
) STRICT;
CREATE UNIQUE INDEX live_connection_key ON live_connection (user_id, provider);
CREATE INDEX live_connection_by_due ON live_connection (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX live_connection_by_team ON live_connection (team_id, user_id, provider);

CREATE TABLE live_record (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  collection TEXT NOT NULL,
  record_id TEXT NOT NULL,
  version TEXT NOT NULL,
  first_at INTEGER,
  last_at INTEGER,
  brought TEXT NOT NULL,
  checksum INTEGER
) STRICT;
CREATE UNIQUE INDEX live_record_key ON live_record (user_id, provider, collection, record_id);
CREATE INDEX live_record_by_time ON live_record (user_id, provider, last_at, first_at) WHERE last_at IS NOT NULL;

CREATE TABLE raw_answer (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  answer_id TEXT NOT NULL,
  collection TEXT NOT NULL,
  at INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX raw_answer_key ON raw_answer (user_id, provider, answer_id);
CREATE INDEX raw_answer_by_time ON raw_answer (at);
`
