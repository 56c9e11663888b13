/**
 * Loads a page's code when the page is opened. If that fails because the server is unreachable or was updated, the page shows a message.
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

/**
 * The message for a page whose code did not load. A browser does not load a module again after a failure, so the button reloads the whole
 * document.
 */
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
