/** What the bench of the renderings takes from the project. */
export { csvPieces } from '../../../src/table/csv.ts'
export { jsonPieces, toColumns } from '../../../src/table/json.ts'
export { ndjsonPieces } from '../../../src/table/ndjson.ts'
export { parquetPieces } from '../../../src/table/parquet.ts'
export { fromParquet } from '../../../src/table/read-parquet.ts'
