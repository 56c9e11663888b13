/** Finds the sign-in that belongs to a state. See docs/interface/linking.md#linking-24. */
import { timingSafeEqual } from 'node:crypto'
import { hashSecret, type TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { LinkTokenRecord } from '../../store/link.ts'
import type { EngineContext } from '../context.ts'
import { checkToken, type FoundToken, linkTokenNamed, type RefusedToken, userOfToken } from './tokens.ts'

export interface AskedState {
  readonly provider: string
  /** Whether the sign-in is at the provider itself or on the simulated consent page. */
  readonly mode: 'live' | 'simulated'
  readonly state: string
  /** The known caller's team, or null if the state identifies the team. */
  readonly teamId: TeamId | null
  /** The secret from the cookie of a browser on a hosted page. Null if the cookie is missing. Absent if the caller is not a browser. */
  readonly browser?: string | null
  readonly now: EpochMs
}

/**
 * Returns the token that was used to start a state's sign-in. A state without a sign-in, or with a sign-in at another provider or page, is
 * `token_not_validated`.
 */
export async function tokenOfState(engine: EngineContext, asked: AskedState): Promise<FoundToken> {
  const { provider, mode, state, teamId, browser, now } = asked
  const isOfCaller = (token: LinkTokenRecord): boolean => teamId === null || token.teamId === teamId
  const refuse = (error: string, token: LinkTokenRecord | null): RefusedToken => ({
    kind: 'refused',
    errorType: 'token_not_validated',
    error,
    token,
  })
  const userId = userOfToken(state)
  const found = userId === undefined ? null : await engine.store.links.tokenOfState(userId, hashSecret(state))
  if (!found || !isOfCaller(found.token)) {
    // if a link token was sent instead of the state, it at least determines the return URL
    const token = await linkTokenNamed(engine, state)
    const known = token && isOfCaller(token) ? token : null
    return refuse('The sign-in was not started by GET /v2/link/provider/oauth/{provider}', known)
  }
  if (found.start.provider !== provider) return refuse('The sign-in was started at another provider', found.token)
  if ((found.start.isLive ? 'live' : 'simulated') !== mode) {
    const error =
      mode === 'live' ? 'The sign-in is at the simulated consent page' : 'The sign-in is at the page of the provider'
    return refuse(error, found.token)
  }
  const { browserHash: wanted } = found.start
  if (wanted !== undefined && browser !== undefined && !isStateOf(wanted, state, browser)) {
    return { ...refuse('The sign-in was started in another browser', found.token), isOtherBrowser: true }
  }
  return checkToken(engine, found.token, provider, now)
}

/** Returns the value that binds a sign-in to the browser whose cookie contains this secret. */
export function browserHash(state: string, browser: string): string {
  return hashSecret(`${state} ${browser}`)
}

function isStateOf(wanted: string, state: string, browser: string | null): boolean {
  return browser !== null && timingSafeEqual(Buffer.from(browserHash(state, browser)), Buffer.from(wanted))
}
