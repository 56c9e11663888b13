/** The contents of a database, for tests that search for values that must not be in it. */
import pg from 'pg'

/** Yields every row of every table of a store, as text. Bytes are in hexadecimal. */
export async function* readRows(url: string): AsyncGenerator<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema)'",
    )
    if (tables.length === 0) throw new Error('the database has no tables')
    for (const { name } of tables) {
      const { rows } = await client.query<{ line: string }>(`SELECT each::text AS line FROM ${name} AS each`)
      for (const { line } of rows) yield line
    }
  } finally {
    await client.end()
  }
}
