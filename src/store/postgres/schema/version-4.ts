/** Version 4 of the schema: the statements that migrate a database from version 3. They are never edited after they are released. */

/** See version 11 of SQLite's schema. Sent one by one, because Citus passes the text of a statement on to its machines. */
export const VERSION_4: readonly string[] = [
  `ALTER TABLE "series" ADD COLUMN app_id text COLLATE "C" NOT NULL DEFAULT ''`,
  `ALTER TABLE "series" ADD COLUMN device_id text COLLATE "C" NOT NULL DEFAULT ''`,
  `ALTER TABLE "series" ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT '*'`,
  `DROP INDEX series_by_name`,
  `CREATE UNIQUE INDEX series_by_origin ON "series" (user_id, resource, type, provider, source_type, app_id, device_id, kind)`,
  `ALTER TABLE "team" ADD COLUMN merges bigint NOT NULL DEFAULT 0`,
  `ALTER TABLE "team" ADD COLUMN mixed_kinds text COLLATE "C"`,
  `CREATE TABLE "source_order" (
  team_id text COLLATE "C" NOT NULL,
  metric_group text COLLATE "C" NOT NULL,
  sources text COLLATE "C" NOT NULL,
  PRIMARY KEY (team_id, metric_group)
)`,
  `CREATE TABLE "user_source_order" (
  user_id text COLLATE "C" NOT NULL,
  metric_group text COLLATE "C" NOT NULL,
  sources text COLLATE "C" NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id, metric_group)
)`,
  `CREATE TABLE "session_match" (
  user_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  first_id text COLLATE "C" NOT NULL,
  second_id text COLLATE "C" NOT NULL,
  is_same bigint NOT NULL,
  declared_at bigint NOT NULL,
  checksum bigint,
  PRIMARY KEY (user_id, kind, first_id, second_id)
)`,
]

/** On Citus, one machine after the other: tables of both kinds change in one transaction. */
export const BEFORE_STEPS = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'"

/** Distributes the new tables over a Citus cluster's machines. */
export const DISTRIBUTION_4: readonly string[] = [
  `SELECT create_reference_table('source_order')`,
  `SELECT create_distributed_table('"user_source_order"', 'user_id', colocate_with => '"user"')`,
  `SELECT create_distributed_table('"session_match"', 'user_id', colocate_with => '"user"')`,
]
