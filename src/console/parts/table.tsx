/** A table of rows, which scrolls sideways by itself where the screen is narrow, and the links to its pages. */
import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => ComponentChildren
  readonly isNumber?: boolean
  /** The heading is only for screen readers, for example above buttons. */
  readonly isTitleHidden?: boolean
}

export interface TableProps<T> {
  /** What the table lists: "Users". */
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
}

export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields
    <div role="group" class="table-scroll" tabIndex={0} aria-label={label}>
      <table class="table">
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column.title} scope="col" class={column.isNumber ? 'number' : ''}>
                {column.isTitleHidden ? <span class="visually-hidden">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)}>
              {columns.map(column => (
                <td key={column.title} class={column.isNumber ? 'number' : ''}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface PagerProps {
  readonly offset: number
  readonly limit: number
  readonly total: number
  /** What is counted: "users". */
  readonly noun: string
  readonly onGo: (offset: number) => void
}

/** For lists with an offset. Says which rows are shown, and how many there are. */
export function Pager({ offset, limit, total, noun, onGo }: PagerProps) {
  const last = Math.min(offset + limit, total)
  return (
    <nav class="pager" aria-label={`Pages of ${noun}`}>
      <span class="soft">
        {total === 0 ? `No ${noun}` : `${count(offset + 1)} to ${count(last)} of ${count(total)} ${noun}`}
      </span>
      <span class="row">
        <Button isSmall disabled={offset === 0} onClick={() => onGo(Math.max(0, offset - limit))}>
          Previous
        </Button>
        <Button isSmall disabled={last >= total} onClick={() => onGo(offset + limit)}>
          Next
        </Button>
      </span>
    </nav>
  )
}

interface CursorPagerProps {
  readonly noun: string
  readonly shown: number
  /** Cursor of the next page; null or undefined: this page is the last one. */
  readonly next: string | null | undefined
  /** This page is not the first one. */
  readonly canGoBack: boolean
  readonly onBack: () => void
  readonly onNext: (cursor: string) => void
}

/** For lists with a cursor, which have no total. */
export function CursorPager({ noun, shown, canGoBack, onBack, next, onNext }: CursorPagerProps) {
  return (
    <nav class="pager" aria-label={`Pages of ${noun}`}>
      <span class="soft">
        {count(shown)} {noun} on this page
      </span>
      <span class="row">
        <Button isSmall disabled={!canGoBack} onClick={onBack}>
          Previous
        </Button>
        <Button isSmall disabled={!next} onClick={() => next && onNext(next)}>
          Next
        </Button>
      </span>
    </nav>
  )
}

/** A count with separators between the thousands. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}
