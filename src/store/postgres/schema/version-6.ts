/** Version 6 of the schema: the statements that migrate a database from version 5. They are never edited after they are released. */

/** Counters, and an index of connections. See version 13 of SQLite's schema. */
const COUNTERS_6: readonly string[] = [
  `CREATE TABLE "counter" (
  team_id text COLLATE "C" NOT NULL,
  hour bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (team_id, hour, name, subject)
)`,
  'CREATE INDEX counter_by_hour ON "counter" (hour)',
  'CREATE INDEX connection_by_status ON "connection" (status, provider, user_id)',
]

/** The people who sign in to the console. */
const PEOPLE: readonly string[] = [
  `CREATE TABLE "console_person" (
  person_id text COLLATE "C" NOT NULL,
  team_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL,
  created_on bigint NOT NULL,
  removed_at bigint,
  PRIMARY KEY (person_id)
)`,
  `CREATE UNIQUE INDEX console_person_by_name ON "console_person" (team_id, name) WHERE removed_at IS NULL`,
  `ALTER TABLE "console_session" ADD COLUMN person_id text COLLATE "C"`,
  `ALTER TABLE "console_session" ADD COLUMN browser text COLLATE "C" NOT NULL DEFAULT ''`,
  `ALTER TABLE "console_token" ADD COLUMN person_id text COLLATE "C"`,
]

/** Sent one by one, as in version 4. */
export const VERSION_6: readonly string[] = [...COUNTERS_6, ...PEOPLE]

/** Distributes the counters over a Citus cluster's machines, and copies the people to every machine. */
export const DISTRIBUTION_6: readonly string[] = [
  `SELECT create_distributed_table('"counter"', 'team_id', colocate_with => '"directory"')`,
  `SELECT create_reference_table('console_person')`,
]
