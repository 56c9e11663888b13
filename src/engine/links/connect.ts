/** Completes a sign-in: creates the connection and pulls its history, in one transaction. */
import type { Provider } from '../../catalogue/provider.ts'
import type { ScopeConsent } from '../../catalogue/resource-availability.ts'
import type { Reply } from '../../contract/kernel/operation.ts'
import { ownedId } from '../../core/ids.ts'
import type { LinkOutcome, LinkTokenRecord } from '../../store/link.ts'
import type { UserRecord } from '../../store/user.ts'
import { HISTORY_DAYS } from '../connections/pulls.ts'
import { type CallContext, type EngineContext, ok } from '../context.ts'
import { bringAccount } from './account.ts'
import { emptyResult, failed, type LinkResult } from './results.ts'

export interface SignedIn {
  readonly token: LinkTokenRecord
  readonly user: UserRecord
  readonly provider: Provider
  /** The user's name at the provider. If null, the provider uses its own ID. */
  readonly account: string | null
  readonly region: string | null
  /** The scopes granted on the consent page, or null for a provider without a consent page. */
  readonly consent: ScopeConsent | null
}

/** Connects the account. When it returns, the history is complete. A refused link changes nothing, and the token remains usable. */
export async function connect(
  engine: EngineContext,
  call: CallContext,
  signedIn: SignedIn,
): Promise<Reply<LinkResult>> {
  const { token, user, provider, region, consent } = signedIn
  const { now } = call
  const name = signedIn.account ?? ownedId(user.userId, 'account', provider.slug)
  return call.settle(
    () =>
      bringAccount(
        engine,
        { user, provider, name, region, consent },
        { at: now, since: now, until: now, days: HISTORY_DAYS, consumeToken: token.hash },
      ),
    outcome => linked(outcome, token, provider.slug),
  )
}

/** Returns the result of the write that created a connection. */
export function linked(outcome: LinkOutcome, token: LinkTokenRecord, slug: string): Reply<LinkResult> {
  switch (outcome.kind) {
    case 'written':
      return ok({ ...emptyResult(token, slug), state: 'success' as const, connected: true })
    case 'token_consumed':
      return failed(token, slug, 'token_consumed', 'The link token has been used')
    case 'account_taken':
      return failed(
        token,
        slug,
        'duplicate_connection',
        'This provider account is already connected to another user of the team',
      )
    case 'demo_user':
      return failed(
        token,
        slug,
        'provider_api_error',
        'The user has a demo connection, and cannot have a real one. Disconnect the demo, or link another user',
      )
  }
}
