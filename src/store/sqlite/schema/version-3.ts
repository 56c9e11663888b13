/** Version 3 of the schema. */

/**
 * Adds teams' source priorities, and continuous queries. For each user, `continuous_state` contains the data touched since the last run,
 * and the current run's input. `rev` counts the runs that have begun, so that only the latest one can commit. In `source_priority`, an
 * empty source type means all source types.
 */
export const VERSION_3 = `
CREATE TABLE source_priority (
  team_id TEXT NOT NULL,
  data_type TEXT NOT NULL,
  provider TEXT NOT NULL,
  source_type TEXT NOT NULL,
  priority INTEGER NOT NULL,
  PRIMARY KEY (team_id, data_type, provider, source_type)
) STRICT, WITHOUT ROWID;

CREATE TABLE continuous_query (
  team_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  definition TEXT NOT NULL,
  minimum_gap INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, query_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX continuous_query_by_slug ON continuous_query (team_id, slug);

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
  PRIMARY KEY (user_id, query_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX continuous_state_by_query ON continuous_state (query_id, user_id);

CREATE TABLE continuous_row (
  user_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  key TEXT NOT NULL,
  cells TEXT NOT NULL,
  PRIMARY KEY (user_id, query_id, bucket, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE continuous_task (
  user_id TEXT NOT NULL,
  query_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL,
  scheduled_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  error_details TEXT,
  PRIMARY KEY (user_id, query_id, number)
) STRICT, WITHOUT ROWID;
`
