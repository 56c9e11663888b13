/** A table of rows, which scrolls sideways on narrow screens, and links to its other pages. */
import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => ComponentChildren
  readonly isNumber?: boolean
  /** Whether the heading is only for screen readers, for example above buttons. */
  readonly isTitleHidden?: boolean
}

export interface TableProps<T> {
  /** Name of the listed items, such as "Users". */
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly rowKey: (row: T) => string
}

export function Table<T>({ label, columns, rows, rowKey }: TableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
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
            <tr key={rowKey(row)}>
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

/** The links to the other pages of a list. */
export interface Pages {
  /** Name of the counted items, such as "users". */
  readonly noun: string
  /** Range of this page, such as "1 to 25 of 34". */
  readonly shown: string
  /** Null on the first page. */
  readonly onBack: (() => void) | null
  /** Null on the last page. */
  readonly onNext: (() => void) | null
}

export function Pager({ noun, shown, onBack, onNext }: Pages) {
  return (
    <nav class="pager" aria-label={`Pages of ${noun}`}>
      <span class="soft">{shown}</span>
      <span class="row">
        <Button isSmall disabled={onBack === null} onClick={() => onBack?.()}>
          Previous
        </Button>
        <Button isSmall disabled={onNext === null} onClick={() => onNext?.()}>
          Next
        </Button>
      </span>
    </nav>
  )
}

interface Span {
  readonly noun: string
  readonly offset: number
  readonly limit: number
  readonly total: number
}

/** Returns the page links for a list of known length. */
export function offsetPages({ noun, offset, limit, total }: Span, go: (offset: number) => void): Pages {
  const last = Math.min(offset + limit, total)
  return {
    noun,
    shown: total === 0 ? `No ${noun}` : `${count(offset + 1)} to ${count(last)} of ${count(total)} ${noun}`,
    onBack: offset === 0 ? null : () => go(Math.max(0, offset - limit)),
    onNext: last >= total ? null : () => go(offset + limit),
  }
}

/** Returns a number with thousands separators. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}
