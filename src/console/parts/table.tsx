/** A table of rows, and links to its other pages. */
import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => ComponentChildren
  readonly isNumber?: boolean
  /** Whether the heading is only for screen readers, for example above buttons. */
  readonly isTitleHidden?: boolean
  /** How a list is sorted by this column: the value of a row, or the key of the service that sorts the list. */
  readonly sort?: ((row: T) => string | number | null | undefined) | string
  /** Control in the heading, instead of the title. */
  readonly head?: ComponentChildren
  readonly class?: string
  readonly order?: 'none' | 'ascending' | 'descending'
  readonly onSort?: () => void
}

export interface TableProps<T> {
  /** Name of the listed items, such as "Users". */
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly rowKey: (row: T) => string
  /** Whether a row becomes a card on a phone. Other tables scroll sideways there. */
  readonly isList?: boolean
}

export function Table<T>({ label, columns, rows, rowKey, isList = false }: TableProps<T>) {
  const region = useRef<HTMLDivElement>(null)
  const [isCut, setIsCut] = useState(false)
  useEffect(() => {
    const { current: box } = region
    if (!box) return
    const watch = new ResizeObserver(() => setIsCut(box.scrollWidth > box.clientWidth))
    for (const each of [box, ...box.children]) watch.observe(each)
    return () => watch.disconnect()
  }, [])
  return (
    <>
      {isCut && <p class="table-hint">Scroll sideways to see all columns.</p>}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields */}
      <div role="group" class="table-scroll" {...(isCut ? { tabIndex: 0 } : {})} aria-label={label} ref={region}>
        <table class={isList ? 'table table-list' : 'table'}>
          <thead>
            <tr>
              {columns.map(column => (
                <th key={column.title} scope="col" class={classOf(column)} aria-sort={column.order}>
                  <Heading {...column} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr key={rowKey(row)}>
                {columns.map(column => (
                  <td key={column.title} class={classOf(column)} data-title={column.title}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const classOf = <T,>({ isNumber, class: own = '' }: Column<T>): string => (isNumber ? `number ${own}` : own)

function Heading<T>({ title, head, isTitleHidden, order, onSort }: Column<T>) {
  if (head || isTitleHidden) return head ?? <span class="visually-hidden">{title}</span>
  if (!onSort) return title
  return (
    <button type="button" class="table-sort" onClick={onSort}>
      {title}
      {order !== 'none' && <Icon of={order === 'ascending' ? ArrowUp : ArrowDown} />}
    </button>
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
    <nav class="row pager" aria-label={`Pages of ${noun}`}>
      <span class="soft">{shown}</span>
      <span class="row">
        <Button isSmall icon={ChevronLeft} disabled={onBack === null} onClick={() => onBack?.()}>
          Previous
        </Button>
        <Button isSmall icon={ChevronRight} disabled={onNext === null} onClick={() => onNext?.()}>
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
