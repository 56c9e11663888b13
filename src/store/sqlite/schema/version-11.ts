/** Version 11 of the schema. */

/**
 * Adds app, device and kind to the key of a series, a team's defaults for merges, orders of sources, and corrections. Existing series keep
 * all of their samples.
 */
export const VERSION_11 = `
ALTER TABLE series ADD COLUMN app_id TEXT NOT NULL DEFAULT '';
ALTER TABLE series ADD COLUMN device_id TEXT NOT NULL DEFAULT '';
ALTER TABLE series ADD COLUMN kind TEXT NOT NULL DEFAULT '*';
DROP INDEX series_by_name;
CREATE UNIQUE INDEX series_by_origin ON series (user_id, resource, type, provider, source_type, app_id, device_id, kind);

ALTER TABLE team ADD COLUMN merges INTEGER NOT NULL DEFAULT 0;
ALTER TABLE team ADD COLUMN mixed_kinds TEXT;

CREATE TABLE source_order (
  team_id TEXT NOT NULL,
  metric_group TEXT NOT NULL,
  sources TEXT NOT NULL,
  PRIMARY KEY (team_id, metric_group)
) STRICT, WITHOUT ROWID;

CREATE TABLE user_source_order (
  user_id TEXT NOT NULL,
  metric_group TEXT NOT NULL,
  sources TEXT NOT NULL,
  checksum INTEGER
) STRICT;
CREATE UNIQUE INDEX user_source_order_key ON user_source_order (user_id, metric_group);

CREATE TABLE session_match (
  user_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  first_id TEXT NOT NULL,
  second_id TEXT NOT NULL,
  is_same INTEGER NOT NULL,
  declared_at INTEGER NOT NULL,
  checksum INTEGER
) STRICT;
CREATE UNIQUE INDEX session_match_key ON session_match (user_id, kind, first_id, second_id);
`
