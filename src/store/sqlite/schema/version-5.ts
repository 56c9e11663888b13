/** Version 5 of the schema. */

/**
 * Adds webhooks: endpoints with sealed secrets; deliveries, with a row for each event and each endpoint that receives it, written in the
 * event's transaction; failed attempts; and the processes that deliver. `outbox.arrival` orders a team's events as they were committed,
 * independently of the clock. 0 marks an event that is never shown and is kept only to undo its import. Name and compatibility date are
 * stored with the event, so that it always renders to the same bytes. Events up to `user.event_floor` have been removed because they were
 * older than `team.event_days`. A fault is an error that servers make on purpose, and its number is never reused.
 */
export const VERSION_5 = `
ALTER TABLE outbox ADD COLUMN arrival INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN client_user_id TEXT;
ALTER TABLE outbox ADD COLUMN compatibility_date TEXT;
UPDATE outbox SET
  client_user_id=(SELECT client_user_id FROM user WHERE user.user_id=outbox.user_id),
  compatibility_date=(SELECT compatibility_date FROM team WHERE team.team_id=outbox.team_id),
  arrival=ordered.number
  FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY team_id ORDER BY at, user_id, sequence) AS number FROM outbox) AS ordered
  WHERE ordered.id=outbox.rowid;
CREATE INDEX outbox_by_arrival ON outbox (team_id, arrival, sequence);
CREATE INDEX outbox_by_id ON outbox (event_id);
ALTER TABLE user ADD COLUMN event_floor INTEGER NOT NULL DEFAULT 0;
INSERT OR IGNORE INTO job (user_id, kind, due_at) SELECT user_id, 'retention', min(at)+2592000000 FROM outbox GROUP BY user_id;

ALTER TABLE team ADD COLUMN event_days INTEGER;

CREATE TABLE endpoint (
  team_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  event_types TEXT NOT NULL,
  header_prefix TEXT,
  concurrency INTEGER NOT NULL,
  rate_limit INTEGER,
  secret BLOB NOT NULL,
  former_secret BLOB,
  former_until INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  disabled_at INTEGER,
  disabled_reason TEXT,
  failing_since INTEGER,
  PRIMARY KEY (team_id, endpoint_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery (
  user_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  endpoint_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  round INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  leased_by TEXT,
  last_at INTEGER,
  last_status INTEGER,
  last_error TEXT,
  last_ms INTEGER,
  PRIMARY KEY (user_id, sequence, endpoint_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_first ON delivery (endpoint_id, user_id, sequence) WHERE state='waiting' AND attempts=0 AND leased_by IS NULL;
CREATE INDEX delivery_again ON delivery (endpoint_id, due_at) WHERE state='waiting' AND attempts>0;
CREATE INDEX delivery_leased ON delivery (leased_by, endpoint_id, user_id) WHERE leased_by IS NOT NULL;
CREATE INDEX delivery_dead ON delivery (team_id, endpoint_id) WHERE state='dead';

CREATE TABLE failed_attempt (
  user_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  endpoint_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  status INTEGER,
  error TEXT NOT NULL,
  ms INTEGER NOT NULL,
  PRIMARY KEY (user_id, sequence, endpoint_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliverer (
  deliverer_id TEXT PRIMARY KEY,
  alive_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE fault (
  fault_id INTEGER PRIMARY KEY AUTOINCREMENT,
  method TEXT,
  path TEXT NOT NULL,
  kind TEXT NOT NULL,
  status INTEGER,
  delay_ms INTEGER,
  probability REAL NOT NULL,
  times INTEGER,
  seed TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE recording (
  recording_id TEXT PRIMARY KEY,
  alive_until INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE recording_entry (
  number INTEGER NOT NULL,
  part INTEGER NOT NULL,
  line TEXT,
  data BLOB,
  PRIMARY KEY (number, part)
) STRICT;

CREATE TABLE person (
  user_id TEXT PRIMARY KEY,
  seed INTEGER NOT NULL,
  number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
