/** The part of version 10 about delivery attempts. */

/** The request and the answer of an attempt, sealed. `at` is real time, and rows are removed a week after it. */
export const EXCHANGES = `
CREATE TABLE delivery_exchange (
  user_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  endpoint_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX delivery_exchange_key ON delivery_exchange (user_id, sequence, endpoint_id, number);
CREATE INDEX delivery_exchange_by_time ON delivery_exchange (at);
`
