/** Actions on the rows of a list: the menu of a row, and what happens to one row or to all selected rows. */
import { Ellipsis } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { OperationId } from '../../api/call.ts'
import { Problem } from '../../api/problem.ts'
import { useAction } from '../../api/use-call.ts'
import { ConfirmDialog } from '../form.tsx'
import { count } from '../table.tsx'
import { useToast } from '../toasts.tsx'
import { Popup } from './popup.tsx'

interface Entry<T> {
  /** A verb, such as "Delete". */
  readonly title: string
  /** Returns whether the row has this action; absent if all rows have it. */
  readonly fits?: (row: T) => boolean
  /** Operation that the entry leads to. It is absent if the session may not use it. */
  readonly needs?: OperationId
}

/** An entry that shows something about one row. */
interface Opening<T> extends Entry<T> {
  readonly open: (row: T) => void
}

/** An entry that changes a row, or many. */
export interface Change<T> extends Entry<T> {
  /** The verb as it is reported: "deleted". */
  readonly done: string
  /** May return the message for a single row, if it says more than the verb. */
  readonly act: (row: T) => Promise<unknown>
  readonly undo?: (row: T) => Promise<unknown>
  /** What to consider before confirming. An action that can be undone is confirmed only for several rows. */
  readonly confirm?: string
  readonly foot?: (row: T) => ComponentChildren
  readonly isDanger?: boolean
  /** Whether selected rows can be changed together, one after the other. */
  readonly isForMany?: boolean
}

export type RowAction<T> = Opening<T> | Change<T>

export interface Items<T> {
  /** Name of the rows, such as "users". */
  readonly noun: string
  readonly nameOf: (row: T) => string
  /** Called after an action, with the rows that failed, and after it was undone. */
  readonly onChanged: (outcome: {
    readonly action: Change<T>
    readonly failed: readonly T[]
    readonly isUndone: boolean
  }) => void
}

interface Asked<T> {
  readonly action: Change<T>
  readonly rows: readonly T[]
}

/** Maximum length of a name that fits into a message on a phone. */
const MOST_SHOWN = 40

/** Returns how to start an action, and the dialog that it may show. */
export function useRowActions<T>({ noun, nameOf, onChanged }: Items<T>) {
  const toast = useToast()
  const [asked, setAsked] = useState<Asked<T> | null>(null)
  const named = (rows: readonly T[]): string => {
    if (rows.length !== 1) return `${count(rows.length)} ${noun}`
    const name = rows.map(nameOf).join()
    return name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name
  }
  const undo = async ({ action, rows }: Asked<T>): Promise<void> => {
    const { failed, problem } = await runEach(rows, row => action.undo?.(row))
    onChanged({ action, failed, isUndone: true })
    if (problem) toast({ text: problem.message })
  }
  const change = async ({ action, rows }: Asked<T>): Promise<void> => {
    const { done, failed, results, problem } = await runEach(rows, action.act)
    const outcome = `${named(done)} ${done.length === 1 ? 'was' : 'were'} ${action.done}`
    if (done.length > 0) {
      const text = done.length === 1 && typeof results[0] === 'string' ? results[0] : `${outcome}.`
      toast({ text, ...(action.undo ? { undo: () => undo({ action, rows: done }) } : {}) })
    }
    // a second try is only about the rows that are left
    setAsked(failed.length > 0 && isAsked(action, rows) ? { action, rows: failed } : null)
    onChanged({ action, failed, isUndone: false })
    if (!problem) return
    if (rows.length === 1) throw problem
    const left = `${count(failed.length)} of ${count(rows.length)} ${noun} could not be ${action.done}`
    throw new Problem(problem.status, problem.code, `${left}: ${problem.message}`)
  }
  const direct = useAction(change)
  const run = (action: RowAction<T>, rows: readonly T[]): void => {
    if ('open' in action) for (const row of rows) action.open(row)
    else if (isAsked(action, rows)) setAsked({ action, rows })
    else direct.run({ action, rows })
  }
  const { action, rows } = asked ?? { rows: [] }
  const dialog = action && (
    <ConfirmDialog
      title={`${action.title} ${named(rows)}?`}
      submit={action.title}
      kind={action.isDanger ? 'danger' : 'primary'}
      onClose={() => setAsked(null)}
      act={() => change({ action, rows })}
      foot={rows.length === 1 && rows.map(row => action.foot?.(row))}
    >
      <p>{action.confirm}</p>
    </ConfirmDialog>
  )
  return { run, dialog, isRunning: direct.isRunning, problem: direct.problem }
}

const isAsked = <T,>({ confirm, undo }: Change<T>, rows: readonly T[]): boolean =>
  confirm !== undefined && (undo === undefined || rows.length > 1)

/** Calls the function for one row after the other, whichever fail. The problem is that of the first row that failed. */
async function runEach<T>(rows: readonly T[], act: (row: T) => Promise<unknown> | undefined) {
  const done: T[] = []
  const failed: T[] = []
  const results: unknown[] = []
  let problem: Problem | null = null
  for (const row of rows) {
    try {
      results.push(await act(row))
      done.push(row)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      failed.push(row)
      problem ??= error
    }
  }
  return { done, failed, results, problem }
}

interface RowMenuProps<T> {
  readonly actions: readonly RowAction<T>[]
  readonly row: T
  readonly name: string
  readonly onChoose: (action: RowAction<T>) => void
}

export function RowMenu<T>({ actions, row, name, onChoose }: RowMenuProps<T>) {
  const fitting = actions.filter(({ fits }) => fits?.(row) ?? true)
  if (fitting.length === 0) return null
  const title = `Actions for ${name}`
  return (
    <Popup
      kind="quiet"
      isSmall
      icon={Ellipsis}
      label={title}
      title={title}
      opens="menu"
      content={close =>
        fitting.map(action => (
          <button
            key={action.title}
            type="button"
            role="menuitem"
            class={'isDanger' in action && action.isDanger ? 'popup-bad' : ''}
            onClick={() => {
              close()
              onChoose(action)
            }}
          >
            {action.title}
          </button>
        ))
      }
    />
  )
}
