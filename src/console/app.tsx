/** The console: the sign-in page, or the shell with the page for the current URL. */
import { useEffect, useState } from 'preact/hooks'
import { ErrorBoundary } from 'preact-iso/lazy'
import { LocationProvider, Route, Router } from 'preact-iso/router'
import { BASE } from './api/base.ts'
import { ClockProvider } from './api/engine-clock.tsx'
import { type EndReason, loadSession, type Session, SessionContext, whenSessionEnds } from './api/session.ts'
import { useCode, useLoader } from './api/use-call.ts'
import { PAGES } from './pages/pages.ts'
import { LinkButton } from './parts/button.tsx'
import { Card, Page } from './parts/page.tsx'
import { ProblemNote, Skeleton } from './parts/states.tsx'
import { TimeZoneProvider } from './parts/time-zone.tsx'
import { Toasts } from './parts/toasts.tsx'
import { Shell } from './shell/shell.tsx'

export function App() {
  const first = useLoader('session', loadSession)
  const [session, setSession] = useState<Session | null>(null)
  const [ended, setEnded] = useState<EndReason | null>(null)
  useEffect(() => {
    if (first.data) setSession(first.data)
  }, [first.data])
  useEffect(() =>
    whenSessionEnds(reason => {
      setSession(null)
      setEnded(reason)
    }),
  )
  // signed-in users do not wait for the sign-in page's code
  const isOut = session === null && (first.data === null || ended !== null)
  const out = useCode(isOut ? 'sign-in' : null, () => import('./shell/sign-in.tsx'))
  const failed = [first, out].find(load => load.problem)
  if (failed) {
    return (
      <main class="sign-in">
        <ProblemNote problem={failed.problem} onRetry={failed.reload} />
      </main>
    )
  }
  if (isOut) return out.data ? <out.data.SignIn onSignedIn={setSession} ended={ended} /> : null
  if (session === null) return null
  return (
    <SessionContext.Provider value={session}>
      <LocationProvider scope={`${BASE}/console`}>
        <ClockProvider>
          <TimeZoneProvider>
            <Toasts>
              <Shell>
                <Pages />
              </Shell>
            </Toasts>
          </TimeZoneProvider>
        </ClockProvider>
      </LocationProvider>
    </SessionContext.Provider>
  )
}

function Pages() {
  const [isLoading, setIsLoading] = useState(false)
  return (
    <ErrorBoundary>
      {isLoading && <Skeleton />}
      <Router onLoadStart={() => setIsLoading(true)} onLoadEnd={() => setIsLoading(false)}>
        {[
          ...PAGES.map(({ path, page }) => <Route key={path} path={`${BASE}${path}`} component={page} />),
          <Route key="none" default component={NotFound} />,
        ]}
      </Router>
    </ErrorBoundary>
  )
}

function NotFound() {
  return (
    <Page title="No such page">
      <Card title="The console has no page at this URL">
        <p>The page may have moved, or the URL is incomplete.</p>
        <div>
          <LinkButton href="/console">Go to the overview</LinkButton>
        </div>
      </Card>
    </Page>
  )
}
