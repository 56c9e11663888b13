/** Defines PostgreSQL's syntax where databases differ. */
import type { Dialect } from '../logic/dialect.ts'

export const POSTGRES: Dialect = {
  index: () => '',
  blobBytes: column => `octet_length(${column})`,
  ownRow: (table, key) => `SELECT 1 FROM ${table} WHERE ${[...key, ...key].map(name => `${name}=?`).join(' AND ')}`,
  summaryLines: () => null,
  position: (text, part) => `strpos(${text}, ${part.replace('?', 'CAST(? AS text) COLLATE "C"')})`,
  jsonText: (column, path) => `(CAST(${column} AS jsonb) #>> '{${path.replaceAll('.', ',')}}')`,
  listed: 'SELECT value FROM jsonb_array_elements_text(CAST(? AS jsonb)) AS value',
  aside: column => column,
  lockingRows: 'FOR UPDATE',
  rowKey: ({ key }) => key.map(name => `"${name}"`).join(', '),
  // if the chunk is not the next revision, the division by zero makes the write fail, and the transaction is repeated
  unlessStale: condition => `1/(CASE WHEN ${condition} THEN 1 ELSE 0 END)=1`,
}
