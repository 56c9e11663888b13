/** Version 7 of the schema. */

/**
 * What finds users by their team: `account` has a row for each connection to an account at a provider, and the directory an index by user.
 * Both follow from other rows, and what they lead to decides. `outbox_by_event` finds an event within a user.
 */
export const VERSION_7 = `
CREATE TABLE account (
  team_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  external_user_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (team_id, provider, external_user_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX account_by_user ON account (team_id, user_id, provider);
INSERT OR IGNORE INTO account (team_id, provider, external_user_id, user_id)
  SELECT team_id, provider, external_user_id, user_id FROM connection JOIN user USING (user_id)
  WHERE external_user_id IS NOT NULL;
DROP INDEX connection_by_account;

CREATE INDEX directory_by_user ON directory (team_id, user_id);

DROP INDEX outbox_by_id;
CREATE INDEX outbox_by_event ON outbox (user_id, event_id);
`
