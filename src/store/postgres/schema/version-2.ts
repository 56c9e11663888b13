/** Version 2 of the schema in PostgreSQL: live providers, as in version 9 of that of SQLite. */
export const VERSION_2 = `
CREATE TABLE provider_setup (
  team_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  document TEXT NOT NULL,
  sealed bytea NOT NULL,
  notification_hash TEXT NOT NULL,
  created_on bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (team_id, provider)
);

CREATE TABLE provider_budget (
  team_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  taken TEXT NOT NULL,
  blocked_until bigint,
  PRIMARY KEY (team_id, provider)
);

CREATE TABLE person_budget (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  taken TEXT NOT NULL,
  blocked_until bigint,
  PRIMARY KEY (user_id, provider)
);

CREATE TABLE provider_notification (
  team_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  notification_id TEXT NOT NULL,
  received_at bigint NOT NULL,
  due_at bigint NOT NULL,
  tries bigint NOT NULL,
  sealed bytea,
  settled_at bigint,
  PRIMARY KEY (team_id, provider, notification_id)
);
CREATE INDEX provider_notification_by_due ON provider_notification (due_at, received_at) WHERE settled_at IS NULL;
CREATE INDEX provider_notification_by_end ON provider_notification (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE provider_subscription (
  team_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  name TEXT NOT NULL,
  remote_id TEXT NOT NULL,
  expires_at bigint,
  due_at bigint,
  failures bigint NOT NULL,
  last_error TEXT,
  sealed bytea,
  PRIMARY KEY (team_id, provider, name)
);
CREATE INDEX provider_subscription_by_due ON provider_subscription (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE provider_grant (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  grant_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  state TEXT NOT NULL,
  key_id TEXT NOT NULL,
  expires_at bigint,
  rev bigint NOT NULL,
  leased_by TEXT,
  leased_until bigint NOT NULL,
  renewing_since bigint,
  tries bigint NOT NULL,
  due_at bigint,
  sealed bytea,
  checksum bigint,
  PRIMARY KEY (user_id, provider, grant_id)
);
CREATE INDEX provider_grant_by_due ON provider_grant (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE live_connection (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  team_id TEXT NOT NULL,
  linked_at bigint NOT NULL,
  due_at bigint,
  in_history bigint NOT NULL,
  last_pull_at bigint,
  progress TEXT NOT NULL,
  hastened TEXT,
  announced TEXT NOT NULL,
  subscriptions TEXT NOT NULL,
  leased_by TEXT,
  leased_until bigint NOT NULL DEFAULT 0,
  checksum bigint,
  PRIMARY KEY (user_id, provider)
);
CREATE INDEX live_connection_by_due ON live_connection (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX live_connection_by_team ON live_connection (team_id, user_id, provider);

CREATE TABLE live_record (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  collection TEXT NOT NULL,
  record_id TEXT NOT NULL,
  version TEXT NOT NULL,
  first_at bigint,
  last_at bigint,
  brought TEXT NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id, provider, collection, record_id)
);
CREATE INDEX live_record_by_time ON live_record (user_id, provider, last_at, first_at) WHERE last_at IS NOT NULL;

CREATE TABLE raw_answer (
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  answer_id TEXT NOT NULL,
  collection TEXT NOT NULL,
  at bigint NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (user_id, provider, answer_id)
);
CREATE INDEX raw_answer_by_time ON raw_answer (at);
`
