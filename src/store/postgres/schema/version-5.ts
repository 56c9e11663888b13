/** Version 5 of the schema: the statements that migrate a database from version 4. They are never edited after they are released. */

/** See version 12 of SQLite's schema. Sent one by one, as in version 4. */
export const VERSION_5: readonly string[] = [
  `ALTER TABLE "team" ADD COLUMN keep_import_days bigint`,
  `ALTER TABLE "raw_answer" ADD COLUMN pull_id text COLLATE "C"`,
  `CREATE TABLE "import_file" (
  user_id text COLLATE "C" NOT NULL,
  import_id text COLLATE "C" NOT NULL,
  part bigint NOT NULL,
  at bigint NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (user_id, import_id, part)
)`,
  `ALTER TABLE "import_file" ALTER COLUMN sealed SET STORAGE EXTERNAL`,
  `CREATE INDEX import_file_by_time ON "import_file" (at) WHERE part=0`,
]

/** Distributes the new table over a Citus cluster's machines. */
export const DISTRIBUTION_5: readonly string[] = [
  `SELECT create_distributed_table('"import_file"', 'user_id', colocate_with => '"user"')`,
]
