/** Traverses users' rows and checks each row separately. */
import type { UserId } from '../../../core/ids.ts'
import type { Columns, RowWith } from '../../tables/table.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import { definePages, type PagedRows, type PagesDefinition, pages } from './pages.ts'

const ROWS_AT_ONCE = 20

interface KeyedRow {
  readonly user_id: string
}

/** Names a row's problems. */
interface Naming<Row> {
  readonly what: string
  readonly nameOf: (row: Row) => string
}

interface Judging<Row> {
  /** Returns the row's problems. `before` is the user's previous row, or undefined. */
  readonly faults: (row: Row, before: Row | undefined) => readonly string[]
}

/** Rows to check. */
export interface RowsToCheck<Row> extends Naming<Row> {
  readonly pages: PagedRows<Row>
}

/** Rows to check, and the function that checks each row. */
export interface Traversal<Row> extends RowsToCheck<Row>, Judging<Row> {}

/** Defines rows to check. The row type is derived from the columns. */
export function defineRows<const C extends Columns>(
  definition: Naming<RowWith<C>> & Omit<PagesDefinition<C>, 'atOnce'>,
): RowsToCheck<RowWith<C>> {
  const { what, nameOf } = definition
  return { what, nameOf, pages: definePages({ ...definition, atOnce: ROWS_AT_ONCE }) }
}

/** Defines a traversal. The row type is derived from the columns. */
export function defineTraversal<const C extends Columns>(
  definition: Naming<RowWith<C>> & Judging<RowWith<C>> & Omit<PagesDefinition<C>, 'atOnce'>,
): Traversal<RowWith<C>> {
  return { ...defineRows<C>(definition), faults: definition.faults }
}

/** Yields the problems of every row in the table, one problem per fault. */
export async function* findProblems<Row extends KeyedRow>(
  db: Database,
  each: Traversal<Row>,
): AsyncIterable<StoreProblem> {
  let before: Row | undefined
  for await (const { rows } of pages(db, each.pages)) {
    for (const row of rows) {
      for (const fault of each.faults(row, before?.user_id === row.user_id ? before : undefined)) {
        yield { what: each.what, userId: row.user_id as UserId, message: `${each.nameOf(row)}: ${fault}` }
      }
      before = row
    }
  }
}
