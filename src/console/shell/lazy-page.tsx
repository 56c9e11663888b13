/**
 * Loads the code of a page when it is opened. If that fails, because the server is unreachable or was updated, the page shows a message.
 */
import type { ComponentType } from 'preact'
import lazyOf from 'preact-iso/lazy'
import { unreachable } from '../api/problem.ts'
import { loadSession } from '../api/session.ts'
import { useAction } from '../api/use-call.ts'
import { Page } from '../parts/page.tsx'
import { ProblemNote } from '../parts/states.tsx'

/** Returns a component whose code is loaded when it is first shown. */
export function lazy(load: () => Promise<{ readonly default: ComponentType }>) {
  return lazyOf(() => load().catch(() => ({ default: Unloaded })))
}

/** A browser does not load a module again after a failure, so this reloads the whole document once the server responds. */
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
