/** Version 12 of the schema. */

/** Adds kept import files, and the pull that each kept raw response belongs to, so that both can be read again. */
export const VERSION_12 = `
ALTER TABLE team ADD COLUMN keep_import_days INTEGER;
ALTER TABLE raw_answer ADD COLUMN pull_id TEXT;

CREATE TABLE import_file (
  user_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  at INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX import_file_key ON import_file (user_id, import_id, part);
CREATE INDEX import_file_by_time ON import_file (at) WHERE part=0;
`
