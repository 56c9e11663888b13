/** Version 2 of the schema. */

/**
 * Adds workout streams, imports that can be undone, and jobs. `import_before` contains the data that an import replaced: samples as a
 * chunk, and the previous versions of summaries and streams (null if there was none). The import's own data is in its events. A tombstone
 * represents a purged user, and its client_user_id is a hash.
 */
export const VERSION_2 = `
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
