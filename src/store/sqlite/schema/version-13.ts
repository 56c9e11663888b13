/** Version 13 of the schema. */

/** Adds counters, and an index that counts connections by status and provider. */
const COUNTERS_13 = `
CREATE TABLE counter (
  team_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  name TEXT NOT NULL,
  subject TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (team_id, hour, name, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX counter_by_hour ON counter (hour);
CREATE INDEX connection_by_status ON connection (status, provider, user_id);
`

/** Adds the people who sign in to the console, and what a list of their sessions shows. */
const PEOPLE = `
CREATE TABLE console_person (
  person_id TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  created_on INTEGER NOT NULL,
  removed_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX console_person_by_name ON console_person (team_id, name) WHERE removed_at IS NULL;

ALTER TABLE console_session ADD COLUMN person_id TEXT;
ALTER TABLE console_session ADD COLUMN browser TEXT NOT NULL DEFAULT '';
ALTER TABLE console_token ADD COLUMN person_id TEXT;
`

export const VERSION_13 = COUNTERS_13 + PEOPLE
