/** Two paged tables, one for a list that the service returns page by page, and one for rows that are all loaded. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Problem } from '../api/problem.ts'
import type { Load } from '../api/use-call.ts'
import { Card } from './page.tsx'
import { Loaded, ProblemNote } from './states.tsx'
import { offsetPages, Pager, type Pages, Table, type TableProps } from './table.tsx'

interface ListTableProps<D, T> extends Omit<TableProps<T>, 'rows'> {
  readonly load: Load<D>
  /** Number of lines in the skeleton. It should be about as high as the table. */
  readonly lines?: number
  readonly readRows: (data: D) => readonly T[]
  /** Shown if the list is empty. */
  readonly empty: ComponentChildren
  /** Returns the page links, for a list that the service returns page by page; null if there are no links to show. */
  readonly readPages?: (data: D, shown: number) => Pages | null
}

/** A table of loaded rows, or a placeholder while there are none. */
export function ListTable<D, T>({ load, lines, readRows, empty, readPages, ...table }: ListTableProps<D, T>) {
  return (
    <Loaded load={load} lines={lines}>
      {data => {
        const rows = readRows(data)
        const pages = readPages?.(data, rows.length)
        // a page after the last page also has no rows, but needs a link back
        if (rows.length === 0 && !pages?.onBack) return empty
        return (
          <>
            <Table {...table} rows={rows} />
            {pages && <Pager {...pages} />}
          </>
        )
      }}
    </Loaded>
  )
}

interface ListCardProps<D, T> extends Omit<ListTableProps<D, T>, 'label'> {
  readonly title: string
  readonly actions?: ComponentChildren
  /** Problem with an action on the list. */
  readonly problem?: Problem | null
  /** Name of the listed items, if it differs from the title. */
  readonly label?: string
  /** Content before the table. */
  readonly children?: ComponentChildren
}

/** A card whose content is a list. */
export function ListCard<D, T>(props: ListCardProps<D, T>) {
  const { title, actions, problem = null, label = title, children, ...list } = props
  return (
    <Card title={title} isFlush actions={actions}>
      <ProblemNote problem={problem} />
      {children}
      <ListTable {...list} label={label} />
    </Card>
  )
}

interface PagedTableProps<T> extends Omit<TableProps<T>, 'rows'> {
  /** An array, or rows that are created only when their page is shown. */
  readonly rows: { readonly length: number; readonly slice: (from: number, to: number) => readonly T[] }
  readonly perPage: number
  /** Name of the counted items, such as "nights". */
  readonly noun: string
  /** The table returns to the first page when this value changes. */
  readonly version?: string
}

/** A table of rows, page by page. It returns to the first page if there are no longer enough rows for the current page. */
export function PagedTable<T>({ rows, perPage, noun, version, ...table }: PagedTableProps<T>) {
  const [chosen, setChosen] = useState(0)
  useEffect(() => setChosen(0), [version])
  const { length: total } = rows
  const offset = chosen < total ? chosen : 0
  return (
    <>
      <Table {...table} rows={rows.slice(offset, offset + perPage)} />
      <Pager {...offsetPages({ noun, offset, limit: perPage, total }, setChosen)} />
    </>
  )
}
