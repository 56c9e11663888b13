/** What is shown in place of data: it is loading, there is none, or the call failed. */
import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/problem.ts'
import type { Load } from '../api/use-call.ts'
import { Button } from './button.tsx'

export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <p class="visually-hidden">Loading</p>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  /** What to do to get some. */
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}

export function ProblemNote({ problem, onRetry }: { readonly problem: Problem | null; readonly onRetry?: () => void }) {
  if (problem === null) return null
  return (
    <div class="note note-bad" role="alert">
      <p>{problem.message}</p>
      {onRetry && (
        <div class="row">
          <Button isSmall onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}

interface LoadedProps<T> {
  readonly load: Load<T>
  /** Lines of the skeleton, about as high as the data will be. */
  readonly lines?: number
  readonly children: (data: T) => ComponentChildren
}

/** Shows the data of a load, a skeleton while there is none yet, and the problem if it failed. Earlier data stays while it loads again. */
export function Loaded<T>({ load, lines, children }: LoadedProps<T>) {
  const { data, problem, isLoading, reload } = load
  return (
    <>
      {problem && <ProblemNote problem={problem} onRetry={reload} />}
      {data === undefined ? isLoading && <Skeleton {...(lines === undefined ? {} : { lines })} /> : children(data)}
    </>
  )
}
