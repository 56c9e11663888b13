/**
 * Renames the columns of a response, as requested by `--select 'sum(steps) as total'`. Requests cannot set column names, so the command
 * line renames the columns, in every format.
 */
import { ServiceError } from '../../core/errors.ts'
import type { ResultTable } from '../../table/table.ts'

/** New name of each response column, in order; undefined for a column that keeps its name. */
export type Aliases = readonly (string | undefined)[]

/** Returns the new names of the columns. Throws ServiceError `usage` if two columns would have the same name. */
export function renameColumns(names: readonly string[], aliases: Aliases): string[] {
  const result = names.map((name, i) => aliases[i] ?? name)
  const twice = result.find((name, i) => result.indexOf(name) < i)
  if (twice !== undefined) throw duplicateColumnError(twice)
  return result
}

/** Returns the table with renamed columns. Throws the same errors as `renameColumns`. */
export function renamedTable(table: ResultTable, aliases: Aliases | undefined): ResultTable {
  if (aliases === undefined) return table
  const names = renameColumns(
    table.columns.map(({ name }) => name),
    aliases,
  )
  return { ...table, columns: table.columns.map((column, i) => ({ ...column, name: names[i] ?? column.name })) }
}

/** A JSON response to one or more queries. */
interface QueryResponse {
  readonly results: readonly {
    readonly table: Readonly<Record<string, readonly unknown[]>>
    readonly warnings?: unknown
  }[]
}

/** Returns the response with renamed table columns. Throws the same errors as `renameColumns`. */
export function renamedResponse(response: QueryResponse, aliases: Aliases | undefined): QueryResponse {
  if (aliases === undefined) return response
  const results = response.results.map(({ table, ...more }) => {
    const names = renameColumns(Object.keys(table), aliases)
    return { ...more, table: Object.fromEntries(Object.values(table).map((cells, i) => [names[i] ?? '', cells])) }
  })
  return { ...response, results }
}

/** Returns the error for a name that two columns would share. Does not throw. */
export function duplicateColumnError(name: string): ServiceError {
  return new ServiceError('usage', `--select: the response would have two columns named ${name}.`, {
    suggestions: ['Choose another name after "as".'],
  })
}
