/**
 * Version 1 of the schema in PostgreSQL: events and their deliveries. An event gets its place in the order of its team after its commit, so
 * the order has tables of its own (sequencer.ts): `event_waiting` names events that have no place yet, `team_event` holds the places, and
 * `team_order` the last place of each team. `outbox.arrival` says only whether an event is shown (1) or not (0).
 */
export const EVENTS = `
CREATE TABLE outbox (
  user_id TEXT NOT NULL,
  sequence bigint NOT NULL,
  event_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  type TEXT NOT NULL,
  at bigint NOT NULL,
  series_id bigint,
  n bigint NOT NULL,
  data bytea,
  document TEXT,
  rev bigint NOT NULL DEFAULT 0,
  arrival bigint NOT NULL DEFAULT 0,
  client_user_id TEXT,
  compatibility_date TEXT,
  checksum bigint,
  PRIMARY KEY (user_id, sequence)
);
CREATE INDEX outbox_by_event ON outbox (user_id, event_id);

CREATE TABLE delivery (
  user_id TEXT NOT NULL,
  sequence bigint NOT NULL,
  endpoint_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts bigint NOT NULL DEFAULT 0,
  round bigint NOT NULL DEFAULT 0,
  due_at bigint NOT NULL,
  leased_by TEXT,
  last_at bigint,
  last_status bigint,
  last_error TEXT,
  last_ms bigint,
  PRIMARY KEY (user_id, sequence, endpoint_id)
);
CREATE INDEX delivery_first ON delivery (endpoint_id, user_id, sequence) WHERE state='waiting' AND attempts=0 AND leased_by IS NULL;
CREATE INDEX delivery_again ON delivery (endpoint_id, due_at) WHERE state='waiting' AND attempts>0;
CREATE INDEX delivery_leased ON delivery (leased_by, endpoint_id, user_id) WHERE leased_by IS NOT NULL;
CREATE INDEX delivery_dead ON delivery (team_id, endpoint_id) WHERE state='dead';

CREATE TABLE failed_attempt (
  user_id TEXT NOT NULL,
  sequence bigint NOT NULL,
  endpoint_id TEXT NOT NULL,
  number bigint NOT NULL,
  at bigint NOT NULL,
  status bigint,
  error TEXT NOT NULL,
  ms bigint NOT NULL,
  PRIMARY KEY (user_id, sequence, endpoint_id, number)
);

CREATE TABLE delivery_slice (
  slice TEXT PRIMARY KEY,
  deliverer_id TEXT NOT NULL
);

CREATE TABLE deliverer (
  deliverer_id TEXT PRIMARY KEY,
  alive_until bigint NOT NULL
);

CREATE TABLE endpoint (
  team_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  event_types TEXT NOT NULL,
  header_prefix TEXT,
  concurrency bigint NOT NULL,
  rate_limit bigint,
  secret bytea NOT NULL,
  former_secret bytea,
  former_until bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  disabled_at bigint,
  disabled_reason TEXT,
  failing_since bigint,
  url_set_by TEXT,
  PRIMARY KEY (team_id, endpoint_id)
);

CREATE TABLE event_waiting (
  user_id TEXT NOT NULL,
  sequence bigint NOT NULL,
  team_id TEXT NOT NULL,
  since bigint NOT NULL,
  PRIMARY KEY (user_id, sequence)
);
CREATE INDEX event_waiting_by_time ON event_waiting (since);

CREATE TABLE team_event (
  team_id TEXT NOT NULL,
  arrival bigint NOT NULL,
  sequence bigint NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (team_id, arrival, sequence)
);
CREATE UNIQUE INDEX team_event_by_user ON team_event (team_id, user_id, sequence);

CREATE TABLE team_order (
  team_id TEXT PRIMARY KEY,
  last bigint NOT NULL
);
`
