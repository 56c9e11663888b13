/** A table's columns in the schema of a Parquet file. */
import type { SchemaElement } from 'hyparquet'
import type { CellKind } from './cells.ts'

/** A column; `instant` is a moment in epoch milliseconds, and `time` is floating. */
export interface ParquetColumn {
  readonly name: string
  readonly kind: CellKind | 'instant'
}

/** Returns a file's schema, in which every column may be null. */
export function buildSchema(columns: readonly ParquetColumn[]): SchemaElement[] {
  return [
    { name: 'schema', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...PHYSICAL[kind] })),
  ]
}

/** Returns the storage type for a kind of cells. */
export function findPhysical(kind: ParquetColumn['kind']): Physical {
  return PHYSICAL[kind]
}

type Physical = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>

/**
 * Describes integers only by their converted type, because the library writes the logical type's width in a form that strict readers
 * refuse.
 */
const integer = (bitWidth: 8 | 16 | 32 | 64): Physical => ({
  type: bitWidth === 64 ? 'INT64' : 'INT32',
  converted_type: `INT_${bitWidth}`,
})

const PHYSICAL: Readonly<Record<ParquetColumn['kind'], Physical>> = {
  int8: integer(8),
  int16: integer(16),
  int32: integer(32),
  int64: integer(64),
  float: { type: 'DOUBLE' },
  // No converted type, because these times are floating and older readers would treat them as UTC instants.
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  time_of_day: { type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' } },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  bool: { type: 'BOOLEAN' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
}
