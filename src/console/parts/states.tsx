/** Placeholders for data that is loading, empty, or could not be loaded. */
import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/problem.ts'
import type { Load } from '../api/use-call.ts'
import { Button, LinkButton } from './button.tsx'
import { Card } from './page.tsx'

export function Skeleton({ lines = 4 }: { readonly lines?: number | undefined }) {
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
  /** Instructions for getting data. */
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

/** Shows a problem. A button to try again appears only if the same call may succeed later. */
export function ProblemNote({ problem, onRetry }: { readonly problem: Problem | null; readonly onRetry?: () => void }) {
  if (problem === null) return null
  return (
    <div class="note note-bad" role="alert">
      <p>{problem.message}</p>
      {onRetry && problem.mayPass && (
        <div class="row">
          <Button isSmall onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}

interface NoSuchProps {
  /** Name of the kind of item in the URL, such as "order". */
  readonly noun: string
  /** URL of the list of all items. */
  readonly list: string
}

/** The content of a page whose URL refers to a missing item. */
function NoSuch({ noun, list, problem }: NoSuchProps & { readonly problem: Problem }) {
  return (
    <Card>
      <Empty
        title={`There is no ${noun} at this URL`}
        action={<LinkButton href={list}>{`Show all ${noun}s`}</LinkButton>}
      >
        {problem.status === 404
          ? 'No item has this ID. It may have been deleted, or it may belong to another team.'
          : 'The id in the URL is not valid. Check that you copied the whole URL.'}
      </Empty>
    </Card>
  )
}

interface LoadedProps<T> {
  readonly load: Load<T>
  /** Number of lines in the skeleton. It should be about as high as the data. */
  readonly lines?: number | undefined
  /** Describes the item, for a load by the ID in the page's URL. */
  readonly named?: NoSuchProps
  readonly children: (data: T) => ComponentChildren
}

/**
 * Shows loaded data, a skeleton while there is none yet, or the problem if loading failed. Earlier data stays while new data is loading.
 */
export function Loaded<T>({ load, lines, named, children }: LoadedProps<T>) {
  const { data, problem, isLoading, reload } = load
  if (named && problem?.isMissing) return <NoSuch {...named} problem={problem} />
  return (
    <>
      {problem && <ProblemNote problem={problem} onRetry={reload} />}
      {data === undefined ? isLoading && <Skeleton lines={lines} /> : children(data)}
    </>
  )
}
