/**
 * Renames the columns of a response, as requested by `--select 'sum(steps) as total'`. The interface chooses its own column names, so the
 * command line does this, in every format.
 */
import { ServiceError } from '../../core/errors.ts'
import type { ResultTable } from '../../table/table.ts'

/** The new name of each response column, in order; undefined for a column that keeps its name. */
export type Aliases = readonly (string | undefined)[]

/** Returns the new names of the columns. Throws ServiceError `usage` if two columns would have the same name. */
export function renamed(names: readonly string[], aliases: Aliases): string[] {
  const result = names.map((name, i) => aliases[i] ?? name)
  const twice = result.find((name, i) => result.indexOf(name) < i)
  if (twice !== undefined) throw twoColumns(twice)
  return result
}

/** Returns the table with renamed columns. Throws as `renamed` does. */
export function renamedTable(table: ResultTable, aliases: Aliases | undefined): ResultTable {
  if (aliases === undefined) return table
  const names = renamed(
    table.columns.map(({ name }) => name),
    aliases,
  )
  return { ...table, columns: table.columns.map((column, i) => ({ ...column, name: names[i] ?? column.name })) }
}

/** A JSON response to one or more queries. */
interface Answer {
  readonly results: readonly { readonly table: Readonly<Record<string, readonly unknown[]>> }[]
}

/** Returns the response with renamed table columns. Throws as `renamed` does. */
export function renamedAnswer(answer: Answer, aliases: Aliases | undefined): Answer {
  if (aliases === undefined) return answer
  const results = answer.results.map(({ table }) => {
    const names = renamed(Object.keys(table), aliases)
    return { table: Object.fromEntries(Object.values(table).map((cells, i) => [names[i] ?? '', cells])) }
  })
  return { ...answer, results }
}

/** Returns the error for a name that two columns would have. Does not throw. */
export function twoColumns(name: string): ServiceError {
  return new ServiceError('usage', `--select: the response would have two columns named ${name}.`, {
    suggestions: ['Choose another name after "as".'],
  })
}
