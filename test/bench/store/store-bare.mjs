/** The same work as one push, as bare SQL over the same driver; the difference is the cost of svc. */
import pg from 'pg'

const TABLES = `
CREATE TABLE bare_user (user_id text COLLATE "C" PRIMARY KEY, team_id text, event_sequence bigint NOT NULL, checksum bigint);
CREATE TABLE bare_series (user_id text COLLATE "C", series_id bigint, name text, PRIMARY KEY (user_id, series_id));
CREATE TABLE bare_chunk (user_id text COLLATE "C", series_id bigint, chunk_start bigint, n bigint, rev bigint, data bytea, checksum bigint,
  PRIMARY KEY (user_id, series_id, chunk_start));
ALTER TABLE bare_chunk ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE bare_event (user_id text COLLATE "C", sequence bigint, event_id text, data bytea, PRIMARY KEY (user_id, sequence));
CREATE INDEX bare_event_by_id ON bare_event (user_id, event_id);
CREATE TABLE bare_waiting (user_id text COLLATE "C", sequence bigint, PRIMARY KEY (user_id, sequence));
CREATE TABLE bare_endpoint (team_id text, endpoint_id text);
CREATE TABLE bare_job (user_id text COLLATE "C" PRIMARY KEY, due_at bigint);`

/** Connects to a database, and creates the tables and the users with the numbers below `users`. */
export async function openBare(url, users, idOf) {
  const client = await connected(url)
  await client.query(TABLES)
  const ids = Array.from({ length: users }, (_, i) => idOf(i))
  await client.query("INSERT INTO bare_user SELECT id, 'team', 0, 1 FROM unnest($1::text[]) AS id", [ids])
  await client.query("INSERT INTO bare_series SELECT id, 1, 'heartrate' FROM unnest($1::text[]) AS id", [ids])
  await client.end()
}

export async function connected(url) {
  const client = new pg.Client({ connectionString: url, pipeline: true })
  await client.connect()
  return client
}

const ask = (client, name, text, values) => client.query({ name, text, values })

/** One push of chunks with its event: two round trips, as the store needs them. */
export async function pushBare(client, { userId, chunks, event, sequence }) {
  const asked = [
    client.query('BEGIN'),
    ask(client, 'lock', 'SELECT user_id FROM bare_user WHERE user_id=$1 FOR UPDATE', [userId]),
    ask(client, 'owner', 'SELECT * FROM bare_user WHERE user_id=$1', [userId]),
    ask(client, 'use', 'SELECT team_id, checksum FROM bare_user WHERE user_id=$1', [userId]),
    ask(client, 'endpoints', 'SELECT endpoint_id FROM bare_endpoint WHERE team_id=$1', ['team']),
    ask(client, 'series', 'SELECT * FROM bare_series WHERE user_id=$1 AND name=$2', [userId, 'heartrate']),
  ]
  const last =
    'SELECT * FROM bare_chunk WHERE user_id=$1 AND series_id=1 AND chunk_start<=$2 AND chunk_start>=$2 ORDER BY chunk_start DESC LIMIT 1'
  for (const { start } of chunks) asked.push(ask(client, 'chunk', last, [userId, start]))
  await Promise.all(asked)
  const put = `INSERT INTO bare_chunk VALUES ($1,1,$2,$3,1,$4,1) ON CONFLICT (user_id, series_id, chunk_start)
    DO UPDATE SET n=excluded.n, rev=bare_chunk.rev+1, data=excluded.data`
  await Promise.all([
    ...chunks.map(({ start, n, data }) => ask(client, 'put', put, [userId, start, n, data])),
    ask(client, 'event', 'INSERT INTO bare_event VALUES ($1,$2,$3,$4)', [
      userId,
      sequence,
      `${userId}-${sequence}`,
      event,
    ]),
    ask(client, 'wait', 'INSERT INTO bare_waiting VALUES ($1,$2)', [userId, sequence]),
    ask(client, 'count', 'UPDATE bare_user SET event_sequence=$2 WHERE user_id=$1', [userId, sequence]),
    ask(client, 'job', 'INSERT INTO bare_job VALUES ($1, 0) ON CONFLICT DO NOTHING', [userId]),
    client.query('COMMIT'),
  ])
}
