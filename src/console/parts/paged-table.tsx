/** Lists, which the service returns whole or page by page, and a paged table for rows that are all loaded. */
import { Columns3 } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Problem } from '../api/problem.ts'
import { mayUse } from '../api/session.ts'
import { readStored, store } from '../api/stored.ts'
import type { Load } from '../api/use-call.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Popup } from './list/popup.tsx'
import { type RowAction, RowMenu, useRowActions } from './list/row-actions.tsx'
import { useSorting } from './list/sorting.ts'
import { Card } from './page.tsx'
import { Loaded, ProblemNote } from './states.tsx'
import { type Column, count, offsetPages, Pager, type Pages, Table, type TableProps } from './table.tsx'

interface ListTableProps<D, T> extends Omit<TableProps<T>, 'rows' | 'isList'> {
  readonly load: Load<D>
  /** Number of lines in the skeleton. It should be about as high as the table. */
  readonly lines?: number
  readonly readRows: (data: D) => readonly T[]
  /** Shown if the list is empty. */
  readonly empty: ComponentChildren
  /** Returns the page links, for a list that the service returns page by page; null if there are no links to show. */
  readonly readPages?: (data: D, shown: number) => Pages | null
  /** Name of the rows, such as "users". The URL and the browser use it for the list's order and columns. */
  readonly noun: string
  /** Name of a row in the names of its controls. */
  readonly nameOf?: (row: T) => string
  /** Entries of a row's menu, and actions on the selected rows. */
  readonly rowActions?: readonly RowAction<T>[]
  /** Whether the list has so few columns that there is nothing to choose. */
  readonly isSmall?: boolean
  /** Called after rows were changed; by default, the list is reloaded. */
  readonly onChanged?: () => void
}

/** A table of loaded rows, or a placeholder while there are none. On a phone, each row is a card. */
export function ListTable<D, T>(props: ListTableProps<D, T>) {
  const { load, lines, readRows, empty, readPages, noun, rowKey, label, columns } = props
  const { nameOf = rowKey, onChanged = load.reload, isSmall = false } = props
  const rowActions = props.rowActions?.filter(({ needs }) => needs === undefined || mayUse(needs)) ?? []
  const [selected, setSelected] = useState<readonly string[]>([])
  const { columns: ordered, sorted } = useSorting(noun, columns, readPages !== undefined)
  const choice = useColumnChoice(noun, ordered)
  const { shown, control } = isSmall ? { shown: ordered, control: null } : choice
  const { run, dialog, isRunning, problem } = useRowActions<T>({
    noun,
    nameOf,
    onChanged: ({ failed }) => {
      setSelected(failed.map(rowKey))
      onChanged()
    },
  })
  const forMany = rowActions.filter(action => 'isForMany' in action && action.isForMany)
  const menu: Column<T> = {
    title: 'Actions',
    isTitleHidden: true,
    head: control,
    class: 'table-end',
    cell: row => <RowMenu actions={rowActions} row={row} name={nameOf(row)} onChoose={action => run(action, [row])} />,
  }
  return (
    <>
      <ProblemNote problem={problem} />
      {dialog}
      <Loaded load={load} lines={lines}>
        {data => {
          const rows = sorted(readRows(data))
          const pages = readPages?.(data, rows.length)
          // a page after the last page also has no rows, but needs a link back
          if (rows.length === 0 && !pages?.onBack) return empty
          const chosen = rows.filter(row => selected.includes(rowKey(row)))
          const isAll = chosen.length === rows.length
          const box: Column<T> = {
            title: 'Selection',
            class: 'table-check',
            head: (
              <input
                type="checkbox"
                aria-label={`Select all ${noun} on this page`}
                checked={isAll}
                indeterminate={chosen.length > 0 && !isAll}
                onChange={() => setSelected(isAll ? [] : rows.map(rowKey))}
              />
            ),
            cell: row => (
              <input
                type="checkbox"
                aria-label={`Select ${nameOf(row)}`}
                checked={chosen.includes(row)}
                onChange={event => {
                  const others = selected.filter(key => key !== rowKey(row))
                  setSelected(event.currentTarget.checked ? [...others, rowKey(row)] : others)
                }}
              />
            ),
          }
          return (
            <>
              {chosen.length > 0 && (
                <SelectionBar
                  actions={forMany}
                  rows={chosen}
                  noun={noun}
                  isBusy={isRunning}
                  onChoose={run}
                  onClear={() => setSelected([])}
                />
              )}
              <Table
                label={label}
                columns={[
                  ...(forMany.length > 0 ? [box] : []),
                  ...shown,
                  ...(control || rowActions.length > 0 ? [menu] : []),
                ]}
                rows={rows}
                rowKey={rowKey}
                isList
              />
              {pages && <Pager {...pages} />}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

interface ListCardProps<D, T> extends Omit<ListTableProps<D, T>, 'label'> {
  /** Absent if the page has no other list. */
  readonly title?: string
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
  const { title, actions, problem = null, label = title ?? '', children, ...list } = props
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

interface SelectionBarProps<T> {
  readonly actions: readonly RowAction<T>[]
  readonly rows: readonly T[]
  readonly noun: string
  readonly isBusy: boolean
  readonly onChoose: (action: RowAction<T>, rows: readonly T[]) => void
  readonly onClear: () => void
}

/** The actions on all selected rows, above the list. */
function SelectionBar<T>({ actions, rows, noun, isBusy, onChoose, onClear }: SelectionBarProps<T>) {
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        // the focus would be lost with the bar
        if (document.activeElement === document.body) document.querySelector<HTMLElement>('.table-check input')?.focus()
      })
    },
    [],
  )
  return (
    <div class="row selection" role="toolbar" aria-label={`Selected ${noun}`}>
      <span role="status">{count(rows.length)} selected</span>
      {actions.map(action => {
        const fitting = rows.filter(row => action.fits?.(row) ?? true)
        if (fitting.length === 0) return null
        return (
          <Button key={action.title} isSmall isBusy={isBusy} onClick={() => onChoose(action, fitting)}>
            {fitting.length < rows.length ? `${action.title} (${count(fitting.length)})` : action.title}
          </Button>
        )
      })}
      <Button kind="quiet" isSmall onClick={onClear}>
        Clear selection
      </Button>
    </div>
  )
}

/** Returns the shown columns, and the control to choose them. The first column is always shown. */
function useColumnChoice<T>(noun: string, columns: readonly Column<T>[]) {
  const name = `svc-hidden-columns-${noun}`
  const [hidden, setHidden] = useState(() => readStored(name)?.split('\n') ?? [])
  const change = (title: string, isShown: boolean): void => {
    const next = isShown ? hidden.filter(each => each !== title) : [...hidden, title]
    setHidden(next)
    store(name, next.length > 0 ? next.join('\n') : null)
  }
  const choices = columns.slice(1)
  const control = (
    <Popup
      kind="quiet"
      isSmall
      icon={Columns3}
      label={`Columns of ${noun}`}
      title={`Columns of ${noun}`}
      opens="dialog"
      content={() =>
        choices.map(({ title }) => (
          <Field
            key={title}
            type="check"
            label={title}
            value={!hidden.includes(title)}
            onChange={isShown => change(title, isShown)}
          />
        ))
      }
    />
  )
  return { shown: columns.filter((column, i) => i === 0 || !hidden.includes(column.title)), control }
}
