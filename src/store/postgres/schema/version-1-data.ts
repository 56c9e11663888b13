/** Version 1 of the schema in PostgreSQL: the data of users. */
export const DATA = `
CREATE TABLE series (
  user_id TEXT NOT NULL,
  series_id bigint NOT NULL,
  resource TEXT NOT NULL,
  type TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id, series_id)
);
CREATE UNIQUE INDEX series_by_name ON series (user_id, resource, type, provider, source_type);

CREATE TABLE chunk (
  user_id TEXT NOT NULL,
  series_id bigint NOT NULL,
  chunk_start bigint NOT NULL,
  span bigint NOT NULL,
  n bigint NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL,
  min double precision,
  max double precision,
  sum double precision,
  rev bigint NOT NULL,
  data bytea NOT NULL,
  data_checksum bigint,
  checksum bigint,
  PRIMARY KEY (user_id, series_id, chunk_start)
);

CREATE TABLE summary (
  user_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  app_id TEXT,
  device_id TEXT,
  at bigint NOT NULL,
  date TEXT NOT NULL,
  zone_offset bigint,
  document TEXT NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id, kind, id)
);
CREATE INDEX summary_by_date ON summary (user_id, kind, date, at, id);

CREATE TABLE stream (
  user_id TEXT NOT NULL,
  workout_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  n bigint NOT NULL,
  rev bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  data bytea NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id, workout_id)
);

CREATE TABLE import (
  user_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  at bigint NOT NULL,
  format TEXT NOT NULL,
  report TEXT NOT NULL,
  first_sequence bigint NOT NULL,
  last_sequence bigint NOT NULL,
  undone_at bigint,
  checksum bigint,
  PRIMARY KEY (user_id, import_id)
);
CREATE INDEX import_by_time ON import (user_id, at DESC);

CREATE TABLE import_before (
  user_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  ord bigint NOT NULL,
  kind TEXT NOT NULL,
  item TEXT NOT NULL,
  rev bigint,
  data bytea,
  document TEXT,
  checksum bigint,
  PRIMARY KEY (user_id, import_id, ord)
);

CREATE TABLE continuous_state (
  user_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  touched_from bigint,
  touched_to bigint,
  running_from bigint,
  running_to bigint,
  last_run_at bigint,
  rev bigint NOT NULL,
  last_task bigint NOT NULL,
  scheduled_task bigint,
  running_task bigint,
  checksum bigint,
  PRIMARY KEY (user_id, query_id)
);
CREATE INDEX continuous_state_by_query ON continuous_state (query_id, user_id);

CREATE TABLE continuous_row (
  user_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  bucket bigint NOT NULL,
  key TEXT NOT NULL,
  cells TEXT NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id, query_id, bucket, key)
);

CREATE TABLE continuous_task (
  user_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  number bigint NOT NULL,
  status TEXT NOT NULL,
  scheduled_at bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  error_details TEXT,
  checksum bigint,
  PRIMARY KEY (user_id, query_id, number)
);

ALTER TABLE chunk ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE stream ALTER COLUMN data SET STORAGE EXTERNAL;
`
