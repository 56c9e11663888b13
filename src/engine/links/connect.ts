/** The end of a sign-in: the connection, and the history that is pulled with it, in one transaction. */
import type { Provider } from '../../catalogue/provider.ts'
import { resourceAvailability, type ScopeGrant } from '../../catalogue/resource-availability.ts'
import type { Reply } from '../../contract/operation.ts'
import { ownedId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { LinkTokenRecord } from '../../store/link.ts'
import type { UserRecord } from '../../store/user.ts'
import { HISTORY_DAYS, historyAt, pullOf } from '../connections/pulls.ts'
import { type EngineContext, ok } from '../context.ts'
import { withinBounds } from '../intake/ingestion.ts'
import { failed, type LinkResult, resultOf } from './results.ts'

export interface SignedIn {
  readonly token: LinkTokenRecord
  readonly user: UserRecord
  readonly provider: Provider
  /** Who the user is at the provider; null: the provider tells an id of its own. */
  readonly account: string | null
  readonly region: string | null
  /** What was granted at the consent page; null where there was none. */
  readonly grant: ScopeGrant | null
  readonly now: EpochMs
}

/** The history is complete before the call answers. A refused link changes nothing, and leaves the token usable. */
export async function connect(engine: EngineContext, signedIn: SignedIn): Promise<Reply<LinkResult>> {
  const { token, user, provider, region, grant, now } = signedIn
  const team = await engine.store.team(user.teamId)
  const account = signedIn.account ?? ownedId(user.userId, 'account', provider.slug)
  const available = resourceAvailability(provider, grant)
  const resources = Object.keys(available).filter(name => available[name]?.status === 'available')
  const history = await historyAt(engine, user, { provider: provider.slug, now, days: HISTORY_DAYS, resources })
  const { from } = history
  const outcome = await engine.store.links.connect(
    user.userId,
    {
      at: now,
      teamId: user.teamId,
      ...withinBounds(user, history).data,
      events: { kind: 'historical', provider: provider.slug, from, to: now },
      importing: null,
      connections: [
        {
          userId: user.userId,
          provider: provider.slug,
          createdOn: now,
          externalUserId: account,
          region,
          link: { scopes: grant, isDemo: false },
        },
      ],
      ...pullOf(engine, { userId: user.userId, provider: provider.slug, kind: 'historical', from, to: now, resources }),
      consumeToken: token.hash,
    },
    { onlyUserOf: team?.rejectDuplicateConnection ? account : null },
  )
  switch (outcome.kind) {
    case 'written':
      return ok({ ...resultOf(token, provider.slug), state: 'success' as const, connected: true })
    case 'token_consumed':
      return failed(token, provider.slug, 'token_consumed', 'The link token has been used')
    case 'account_taken':
      return failed(
        token,
        provider.slug,
        'duplicate_connection',
        'This provider account is already connected to another user of the team',
      )
    case 'demo_user':
      return failed(
        token,
        provider.slug,
        'provider_api_error',
        'The user has a demo connection, which ends with the user: disconnect it, or link another user',
      )
  }
}
