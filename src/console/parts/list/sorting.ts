/** The order of a list, which is kept in the URL: `sort-users=-created` for the newest first. */
import { FIRST_PAGE, useUrlState } from '../../shell/url-state.ts'
import type { Column } from '../table.tsx'

const slugOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
const parameterOf = (noun: string): string => `sort-${noun}`.replaceAll(' ', '-')

/**
 * Returns the columns of a list with their order, and a function that sorts the rows of a complete list. `isPaged` says that the service
 * returns the list page by page, so that only the service can sort it.
 */
export function useSorting<T>(noun: string, columns: readonly Column<T>[], isPaged: boolean) {
  const { query, change } = useUrlState()
  const parameter = parameterOf(noun)
  const { column: chosen, isDown } = readOrder(query[parameter], columns)
  const valueIn = chosen?.sort
  return {
    columns: columns.map((column): Column<T> => {
      if (column.sort === undefined || (isPaged && typeof column.sort !== 'string')) return column
      const slug = slugOf(column.title)
      const next = column !== chosen ? slug : isDown ? null : `-${slug}`
      return {
        ...column,
        order: column !== chosen ? 'none' : isDown ? 'descending' : 'ascending',
        onSort: () => change({ [parameter]: next, ...FIRST_PAGE }, true),
      }
    }),
    sorted: (rows: readonly T[]): readonly T[] => {
      if (typeof valueIn !== 'function' || isPaged) return rows
      const factor = isDown ? -1 : 1
      return rows.toSorted((a, b) => compare(valueIn(a), valueIn(b), factor))
    },
  }
}

/** Returns the order to ask the service for. The columns contain the service's keys. */
export function useServiceOrder<K extends string>(noun: string, columns: readonly Column<never>[]) {
  const { column, isDown } = readOrder(useUrlState().query[parameterOf(noun)], columns)
  if (typeof column?.sort !== 'string') return {}
  return { order_key: column.sort as K, order_direction: isDown ? ('desc' as const) : ('asc' as const) } // the columns have only keys of the service
}

function readOrder<T>(text = '', columns: readonly Column<T>[]) {
  const isDown = text.startsWith('-')
  const slug = isDown ? text.slice(1) : text
  return { column: columns.find(({ title, sort }) => sort !== undefined && slugOf(title) === slug), isDown }
}

type Value = string | number | null | undefined

/** Rows without a value are last in both orders. */
function compare(a: Value, b: Value, factor: number): number {
  const [noA, noB] = [a ?? null, b ?? null].map(each => Number(each === null))
  if (noA || noB) return (noA ?? 0) - (noB ?? 0)
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * factor
  return `${a}`.localeCompare(`${b}`, 'en', { numeric: true }) * factor
}
