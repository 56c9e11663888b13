/** Version 6 of the schema. */
import { CHECKSUMS } from './version-6-checksums.ts'

/** The ID that is stored both in the database and in its data folder's mark. */
const IDENTITY = "INSERT INTO setting (name, value) VALUES ('store_id', lower(hex(randomblob(16))));"

/** The limits of teams, or null for no limit, and the bytes that each user stores, or null while they are not counted. */
const QUOTAS = `
ALTER TABLE team ADD COLUMN max_bytes INTEGER;
ALTER TABLE team ADD COLUMN max_requests_per_second INTEGER;
ALTER TABLE team ADD COLUMN max_in_flight INTEGER;

ALTER TABLE user ADD COLUMN stored_bytes INTEGER;
`

/**
 * First responses to requests with an idempotency key, stored by user if the operation has a user ID, and by team otherwise. `status` is
 * null while the call runs, and stays null if the call is interrupted. A team's response may concern a user that the call created.
 * Responses are encrypted, except that those from older schemas are JSON until they expire.
 */
const IDEMPOTENCY = `
CREATE TABLE user_answer (
  user_id TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  call_id TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status INTEGER,
  answer BLOB,
  PRIMARY KEY (user_id, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_answer_by_time ON user_answer (created_at);

CREATE TABLE team_answer (
  team_id TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  user_id TEXT,
  call_id TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status INTEGER,
  answer BLOB,
  PRIMARY KEY (team_id, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_answer_by_user ON team_answer (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX team_answer_by_time ON team_answer (created_at);

INSERT INTO user_answer (user_id, key_hash, call_id, request_hash, created_at, status, answer)
  SELECT user_id, key_hash, '', request_hash, created_at, status, CAST(body AS BLOB) FROM idempotency
  WHERE user_id IN (SELECT user_id FROM user);
INSERT INTO team_answer (team_id, key_hash, call_id, request_hash, created_at, status, answer)
  SELECT team_id, key_hash, '', request_hash, created_at, status, CAST(body AS BLOB) FROM idempotency
  WHERE user_id='';
DROP TABLE idempotency;
`

/**
 * The owner of the key that set an endpoint's URL. It determines which hosts the URL may name. The audit trail shows who created and
 * changed an endpoint, but not whether the URL was changed, so the caller with the fewest permissions counts. Null if the audit trail does
 * not show the owner or the key no longer exists. Earlier failed attempts recorded the addresses to which a host resolves, which a team
 * must not learn.
 */
const TARGETS = `
ALTER TABLE endpoint ADD COLUMN url_set_by TEXT;
UPDATE endpoint SET url_set_by=CASE WHEN made.unknown>0 THEN NULL WHEN made.weakest=1 THEN 'operator' ELSE 'team' END
  FROM (
    SELECT audit.team_id AS team_id,
      CASE WHEN json_valid(object) THEN json_extract(object, '$.endpoint_id') END AS endpoint_id,
      min(CASE WHEN actor='local' THEN 1 ELSE is_operator END) AS weakest,
      count(*)-count(CASE WHEN actor='local' THEN 1 ELSE is_operator END) AS unknown,
      max(operation='webhook.create') AS is_told
    FROM audit LEFT JOIN api_key ON actor='key:'||key_id
    WHERE operation IN ('webhook.create', 'webhook.update') AND outcome='ok'
    GROUP BY 1, 2
  ) AS made
  WHERE made.team_id=endpoint.team_id AND made.endpoint_id=endpoint.endpoint_id AND is_told=1;
UPDATE failed_attempt SET error='the host resolves to where webhooks do not go' WHERE error GLOB '* resolves to *';
UPDATE delivery SET last_error='the host resolves to where webhooks do not go' WHERE last_error GLOB '* resolves to *';
`

export const VERSION_6 = [CHECKSUMS, IDENTITY, QUOTAS, IDEMPOTENCY, TARGETS].join('\n')
