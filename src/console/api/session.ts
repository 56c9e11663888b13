/** The page's session: the signed-in user and their permissions. Scripts cannot read the cookie itself. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Role } from '../../catalogue/roles.ts'
import type { OperationId } from '../../contract/operations.ts'
import { BASE } from './base.ts'
import { Problem, readProblem, unreachable } from './problem.ts'

export interface Session {
  readonly team: { readonly id: string; readonly name: string }
  /** The key, without a label for the owner of the data folder. */
  readonly key: { readonly label: string | null; readonly is_operator: boolean }
  /** Null unless a person is signed in. */
  readonly person: { readonly id: string; readonly name: string; readonly role: Role } | null
  /** The operations that the session may never use. */
  readonly forbidden: readonly OperationId[]
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
  return beginSession(ask('session')).catch(unlessSignedOut)
}

/** Signs in with an API key. Throws Problem if the server refuses it. */
export async function signIn(apiKey: string): Promise<Session> {
  return beginSession(ask('sign-in', { api_key: apiKey }))
}

/** Keeps the session that the server has started. Throws Problem if the server refused to start one. */
export async function beginSession(asked: Promise<Response>): Promise<Session> {
  current = (await (await asked).json()) as Session // the server defines the shape in src/server/console
  return current
}

/** Ends this session, or all sessions of its key or person. */
export async function signOut(everywhere: boolean): Promise<void> {
  await ask('sign-out', { everywhere }).catch(unlessSignedOut)
  current = null
  onEnd?.('signed_out')
}

/** Calls a session route. Calls with a body change something. Throws Problem if the server refuses the call or does not respond. */
export async function ask(route: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-svc-csrf-token': csrfToken() }
  const change = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${BASE}/console/${route}`, { ...change, credentials: 'same-origin' }).catch(() => {
    throw unreachable()
  })
  if (!response.ok) throw await readProblem(response)
  return response
}

function unlessSignedOut(error: unknown): null {
  if (error instanceof Problem && error.status === 401) return null
  throw error
}

/** Returns whether the session may use an operation, so that the page does not offer what the service would refuse. */
export function mayUse(id: OperationId): boolean {
  return current?.forbidden.includes(id) !== true
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
