/** Connects an account at a provider and stores its history, in one transaction. */
import type { Provider } from '../../catalogue/provider.ts'
import { resourceAvailability, type ScopeConsent } from '../../catalogue/resource-availability.ts'
import type { EpochMs } from '../../core/time.ts'
import type { LinkOutcome } from '../../store/link.ts'
import type { UserRecord } from '../../store/user.ts'
import { describePull, simulatedHistory } from '../connections/pulls.ts'
import type { EngineContext } from '../context.ts'
import { withinBounds } from '../intake/ingestion.ts'

export interface Account {
  readonly user: UserRecord
  readonly provider: Provider
  /** The user's name at the provider. */
  readonly name: string
  readonly region: string | null
  /** The scopes granted on the consent page, or null for a provider without a consent page. */
  readonly consent: ScopeConsent | null
}

export interface Backfill {
  /** The engine's time. */
  readonly at: EpochMs
  /** When the account was connected. */
  readonly since: EpochMs
  /** The end of the history, which covers the preceding `days` whole days. */
  readonly until: EpochMs
  readonly days: number
  /** Pull only these granted resources. If absent, pull all of them. */
  readonly resources?: readonly string[]
  /** Hash of the link token to consume, or null. */
  readonly consumeToken: string | null
}

/** Connects an account. When it returns, the history is complete. A refused connection changes nothing. */
export async function bringAccount(engine: EngineContext, account: Account, backfill: Backfill): Promise<LinkOutcome> {
  const { user, provider, name, region, consent } = account
  const { at, since, until, days, consumeToken } = backfill
  const team = await engine.store.teams.find(user.teamId)
  const available = resourceAvailability(provider, consent)
  const resources = Object.keys(available).filter(
    resource => available[resource]?.status === 'available' && (backfill.resources?.includes(resource) ?? true),
  )
  const history = await simulatedHistory(engine, user, { provider, now: until, days, resources })
  const { from } = history
  return engine.store.links.connect(
    user.userId,
    {
      at,
      ...withinBounds(user, history).data,
      ...describePull(engine, { user, provider: provider.slug, kind: 'historical', from, to: until, resources }),
      events: { kind: 'historical', provider: provider.slug, from, to: until },
      connections: [
        {
          userId: user.userId,
          provider: provider.slug,
          createdOn: since,
          externalUserId: name,
          region,
          link: { scopes: consent, isDemo: false },
        },
      ],
      consumeToken,
    },
    { onlyUserOf: team?.rejectDuplicateConnection ? name : null },
  )
}
