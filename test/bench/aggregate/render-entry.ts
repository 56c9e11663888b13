/** The parts of the project that the rendering benchmark needs, as one module. */
export { csvPieces } from '../../../src/table/csv.ts'
export { jsonPieces, toColumns } from '../../../src/table/json.ts'
export { ndjsonPieces } from '../../../src/table/ndjson.ts'
export { parquetPieces } from '../../../src/table/parquet.ts'
export { fromParquet } from '../../../src/table/read-parquet.ts'
