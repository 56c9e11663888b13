/** The code of a page is loaded when it is opened. Where that fails, because the server is away or was updated, the page says so. */
import type { ComponentType } from 'preact'
import lazyOf from 'preact-iso/lazy'
import { unreachable } from '../api/problem.ts'
import { loadSession } from '../api/session.ts'
import { useAction } from '../api/use-call.ts'
import { Page } from '../parts/page.tsx'
import { ProblemNote } from '../parts/states.tsx'

/** Returns a component whose code is loaded when it is shown first. */
export function lazy(load: () => Promise<{ readonly default: ComponentType }>) {
  return lazyOf(() => load().catch(() => ({ default: Unloaded })))
}

/** A browser does not load the same module again after a failure, so the document is loaded again once the server answers. */
function Unloaded() {
  const again = useAction(async () => {
    await loadSession()
    location.reload()
  })
  return (
    <Page title="The page could not be loaded">
      <ProblemNote problem={again.problem ?? unreachable()} onRetry={again.run} />
    </Page>
  )
}
