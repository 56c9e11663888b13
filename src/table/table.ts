/** The one table every answer of an aggregate query is rendered from. */
import type { Table } from 'apache-arrow'

/** An Arrow table: timestamps are microseconds without a zone (floating), strings dictionary-encoded, nulls null. */
export type ResultTable = Table
