/** Version 10 of the schema. It follows version 6, because the versions in between were never released. */

/**
 * Adds the lookup of users by team, slices of deliveries, live providers, requests and responses of delivery attempts, and the console. The
 * catalogue describes the tables (src/store/tables). Leases of older processes end.
 */
export const VERSION_10 = `
CREATE TABLE account (
  team_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  external_user_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (team_id, provider, external_user_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX account_by_user ON account (team_id, user_id, provider);
INSERT OR IGNORE INTO account (team_id, provider, external_user_id, user_id)
  SELECT team_id, provider, external_user_id, user_id FROM connection JOIN user USING (user_id)
  WHERE external_user_id IS NOT NULL;
DROP INDEX connection_by_account;

CREATE INDEX directory_by_user ON directory (team_id, user_id);

DROP INDEX outbox_by_id;
CREATE INDEX outbox_by_event ON outbox (user_id, event_id);

CREATE TABLE delivery_slice (
  slice TEXT PRIMARY KEY,
  deliverer_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
UPDATE delivery SET leased_by=NULL WHERE leased_by IS NOT NULL;
DELETE FROM deliverer;

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

CREATE TABLE delivery_exchange (
  user_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  endpoint_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX delivery_exchange_key ON delivery_exchange (user_id, sequence, endpoint_id, number);
CREATE INDEX delivery_exchange_by_time ON delivery_exchange (at);

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
