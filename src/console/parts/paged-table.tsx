/** A table of rows that are all loaded, shown page by page. */
import { useState } from 'preact/hooks'
import { Pager, Table, type TableProps } from './table.tsx'

interface PagedTableProps<T> extends TableProps<T> {
  readonly perPage: number
  /** What is counted: "nights". */
  readonly noun: string
}

/** Starts again at the first page if there are no longer enough rows for the page that was shown. */
export function PagedTable<T>({ rows, perPage, noun, ...table }: PagedTableProps<T>) {
  const [chosen, setChosen] = useState(0)
  const offset = chosen < rows.length ? chosen : 0
  return (
    <>
      <Table {...table} rows={rows.slice(offset, offset + perPage)} />
      <Pager offset={offset} limit={perPage} total={rows.length} noun={noun} onGo={setChosen} />
    </>
  )
}
