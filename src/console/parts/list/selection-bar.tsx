/** The bar above a list with the actions on all selected rows. */
import { useEffect } from 'preact/hooks'
import { Button } from '../button.tsx'
import { count } from '../table.tsx'
import type { RowAction } from './row-actions.tsx'

interface SelectionBarProps<T> {
  readonly actions: readonly RowAction<T>[]
  readonly rows: readonly T[]
  readonly noun: string
  readonly isBusy: boolean
  readonly onChoose: (action: RowAction<T>, rows: readonly T[]) => void
  readonly onClear: () => void
}

export function SelectionBar<T>({ actions, rows, noun, isBusy, onChoose, onClear }: SelectionBarProps<T>) {
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
    <div class="selection" role="toolbar" aria-label={`Selected ${noun}`}>
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
