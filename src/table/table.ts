/** The single table type that every answer of an aggregate query is rendered from. */
import type { Table } from 'apache-arrow'

/** An Arrow table: timestamps are microseconds without a time zone (floating), strings are dictionary-encoded, nulls are null. */
export type ResultTable = Table
