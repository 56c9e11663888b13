/** The part of version 3 about delivery attempts: as in version 10 of the schema of SQLite. */
export const EXCHANGES = `
CREATE TABLE delivery_exchange (
  user_id TEXT NOT NULL,
  sequence bigint NOT NULL,
  endpoint_id TEXT NOT NULL,
  number bigint NOT NULL,
  at bigint NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (user_id, sequence, endpoint_id, number)
);
CREATE INDEX delivery_exchange_by_time ON delivery_exchange (at);
`
