/**
 * The simulated providers, with the same contract as the live ones. No requests are sent: the consent page belongs to this service, and the
 * code that it returns contains the consenting person.
 */
import type { Provider } from '../../catalogue/provider.ts'
import { kindsOfSamples, type SuppliedKinds } from '../../catalogue/supplied-kinds.ts'
import { DAY_MS } from '../../core/time.ts'
import type { CodeExchange, Connector, ProviderRecord, PulledPage, PullRequest } from '../connector.ts'
import type { ProviderApp, TokenSession } from '../provider-session.ts'
import type { TokenSet } from '../token-set.ts'
import { preferredSourceType } from './device.ts'
import { SENSOR } from './extras.ts'
import type { HistoryRequest, SyntheticHistory } from './history.ts'
import { syntheticHistory } from './person.ts'

/** The person whose data a simulated provider returns. */
export type SimulatedLife = Pick<HistoryRequest, 'seed' | 'course'>

/** The only collection of a simulated provider. */
export const HISTORY = 'history'

/** The token set's field with the consenting person. */
const ACCOUNT = 'account'

/** Returns a simulated provider's connector. A life is needed only for pulls. */
export function simulatedConnector(provider: Provider, life?: SimulatedLife): Connector {
  const { slug, scopes, supportedResources, historyDays } = provider
  return {
    provider: slug,
    mode: 'simulated',
    scopes,
    resources: supportedResources,
    kinds: simulatedKinds(provider),
    collections: [
      {
        name: HISTORY,
        resources: supportedResources,
        scopes: [],
        windowDays: historyDays,
        historyDays,
        pollMs: DAY_MS,
        overlapDays: 1,
      },
    ],
    notifications: null,
    authorizationUrl(app, { state }) {
      const url = new URL(app.authorizeUrl)
      url.searchParams.set('state', state)
      return url
    },
    exchange: async (_session, granted) => issueTokenSet(granted),
    refresh: async (_session, tokenSet) => tokenSet,
    async revoke() {},
    profile: async ({ tokenSet }) => ({ accountId: tokenSet.extra[ACCOUNT] ?? '' }),
    async *pull(_session, asked) {
      if (!life) throw new Error('a simulated provider without a life has no data')
      yield buildPage(simulateHistory(provider, life, asked))
    },
  }
}

/** Returns the kinds of values that a provider's simulated people supply. */
export function simulatedKinds(provider: Provider): SuppliedKinds {
  const { slug, supportedResources } = provider
  return kindsOfSamples(
    supportedResources.map(resource => ({
      resource,
      provider: slug,
      sourceType: preferredSourceType(provider, resource),
      text: resource === 'body_temperature' ? SENSOR : {},
      covers: 'interval',
    })),
  )
}

function issueTokenSet({ code, parameters }: CodeExchange): TokenSet {
  const scopes = parameters.getAll('scope')
  return { accessToken: '', refreshToken: null, expiresAt: null, scopes, extra: { [ACCOUNT]: code } }
}

function simulateHistory(provider: Provider, life: SimulatedLife, asked: PullRequest): SyntheticHistory {
  const { userId, timeZone, resources, window } = asked
  const days = Math.round((window.to - window.from) / DAY_MS)
  return syntheticHistory({ ...life, userId, provider, timeZone, now: window.to, days, resources })
}

/** Returns a page. A simulated record's ID is derived from its day, so there is one record for each summary. */
function buildPage({ batches, summaries, streams, from }: SyntheticHistory): PulledPage {
  const records: ProviderRecord[] = summaries.map(summary => ({
    id: summary.id,
    version: '',
    batches: [],
    summaries: [summary],
    streams: streams.filter(each => each.workoutId === summary.id),
  }))
  // the person consented to streams but not to their workouts
  for (const stream of streams.filter(each => !summaries.some(({ id }) => id === each.workoutId))) {
    records.push({ id: stream.workoutId, version: '', batches: [], summaries: [], streams: [stream] })
  }
  return { batches, records, unmapped: {}, from }
}

/** Returns a session at a simulated provider, which never sends requests. */
export function simulatedSession(app: Pick<ProviderApp, 'authorizeUrl'>): TokenSession {
  return {
    app: { clientId: '', clientSecret: '', scopes: [], tokenUrl: '', apiUrl: '', settings: {}, ...app },
    tokenSet: { accessToken: '', refreshToken: null, expiresAt: null, scopes: null, extra: {} },
    signal: undefined,
    send: () => Promise.reject(new Error('a simulated provider has no server')),
    now: Date.now,
  }
}
