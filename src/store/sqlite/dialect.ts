/** Defines SQLite's syntax where databases differ. */
import type { Dialect } from '../logic/dialect.ts'

export const SQLITE: Dialect = {
  index: name => `INDEXED BY ${name}`,
  blobBytes: column => `CASE typeof(${column}) WHEN 'blob' THEN length(${column}) END`,
  // the index would supply its own key, and only a row that is looked up by rowid returns the row's own value
  ownRow: (
    table,
    key,
  ) => `SELECT 1 FROM (SELECT rowid AS id FROM ${table} WHERE ${key.map(name => `${name}=?`).join(' AND ')}) AS found
    CROSS JOIN ${table} AS own ON own.rowid=found.id WHERE ${key.map(name => `own.${name}=?`).join(' AND ')}`,
  summaryLines: (columns, from) => `SELECT count(*) AS n, group_concat(line, char(10)) AS rows FROM (
    SELECT checksum || '\t[' || json_array(${columns.join(', ')}) || ',' || document || ']' AS line ${from})`,
  position: (text, part) => `instr(${text}, ${part})`,
  jsonText: (column, path) => `json_extract(${column}, '$.${path}')`,
  listed: 'SELECT value FROM json_each(?)',
  aside: column => `+${column}`,
  lockingRows: '',
  rowKey: ({ key, hasRowid }) => (hasRowid ? 'rowid' : key.map(name => `"${name}"`).join(', ')),
  unlessStale: condition => condition,
}
