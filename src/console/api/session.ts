/** The page's session: the signed-in user and their permissions. Scripts cannot read the cookie itself. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { BASE } from './base.ts'
import { readProblem, unreachable } from './problem.ts'

export interface Session {
  readonly team: { readonly id: string; readonly name: string }
  readonly key: { readonly label: string; readonly is_operator: boolean }
  readonly csrf_token: string
  /** Time when the session ends if there is no activity, ISO 8601. */
  readonly expires_at: string
  readonly version: string
  readonly public_url: string | null
}

let current: Session | null = null
/** Reason why the user is no longer signed in. */
export type EndReason = 'ended' | 'signed_out'

let onEnd: ((reason: EndReason) => void) | null = null

/** Returns the session of the user who is signed in; null if nobody is. Throws Problem if the server does not respond. */
export async function loadSession(): Promise<Session | null> {
  const response = await ask('session')
  if (response.status === 401) return null
  if (!response.ok) throw await readProblem(response)
  current = (await response.json()) as Session // the server defines the shape in src/server/console
  return current
}

/** Signs in with an API key. Throws Problem if the server refuses it. */
export async function signIn(apiKey: string): Promise<Session> {
  const response = await ask('sign-in', { api_key: apiKey })
  if (!response.ok) throw await readProblem(response)
  current = (await response.json()) as Session // as above
  return current
}

/** Ends this session, or all sessions of its key. */
export async function signOut(everywhere: boolean): Promise<void> {
  const response = await ask('sign-out', { everywhere })
  if (!response.ok && response.status !== 401) throw await readProblem(response)
  current = null
  onEnd?.('signed_out')
}

/** Calls a session route. Calls with a body change something. Throws Problem if the server does not respond. */
function ask(route: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-svc-csrf-token': csrfToken() }
  const change = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  return fetch(`${BASE}/console/${route}`, { ...change, credentials: 'same-origin' }).catch(() => {
    throw unreachable()
  })
}

/** Returns the CSRF token that every change must include. */
export function csrfToken(): string {
  return current?.csrf_token ?? ''
}

/** Ends the page's session after the server has ended it. The sign-in page appears, and the URL does not change. */
export function endSession(): void {
  current = null
  onEnd?.('ended')
}

/** Registers a function that runs when the session ends. */
export function whenSessionEnds(then: (reason: EndReason) => void): void {
  onEnd = then
}

export const SessionContext = createContext<Session | null>(null)

/** Returns the page's session. Only pages call this, and a page is shown only after sign-in. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('A page was shown without a session.')
  return session
}
