/** A live connector whose data tests can change, and its fake provider, for tests of pulls, notifications and subscriptions. */
import { createHmac } from 'node:crypto'
import type { PulledPage, PullRequest } from '../../src/connectors/connector.ts'
import type { LiveConnector } from '../../src/connectors/live/live-connector.ts'
import type { NotifiedEvent } from '../../src/connectors/notifications.ts'
import type { TokenSession } from '../../src/connectors/provider-session.ts'
import { member } from '../../src/connectors/shared/json-fields.ts'
import { SampleBatchBuilder } from '../../src/core/sample.ts'
import { HOUR_MS } from '../../src/core/time.ts'
import type { FakeProviderRequest, FakeProviderResponse } from './fake-provider.ts'
import { TEST_PROVIDER, testConnector } from './test-connector.ts'

/** The fake provider's data of one person. */
export interface Item {
  readonly id: string
  readonly at: number
  readonly value: number
  readonly version: string
}

export const DAYS = 'days'
export const PULSE = 'pulse'
const PAGE = 4
const RESOURCES: Readonly<Record<string, string>> = { [DAYS]: 'steps', [PULSE]: 'heartrate' }

/** The data of the fake provider, by collection and ID. */
export class Items {
  readonly all = new Map([DAYS, PULSE].map(name => [name, new Map<string, Item>()]))

  put(collection: string, id: string, at: number, value: number): void {
    this.all.get(collection)?.set(id, { id, at, value, version: `${at} ${value}` })
  }

  remove(collection: string, id: string): void {
    this.all.get(collection)?.delete(id)
  }

  /** Returns `resource time value` for all data, sorted. */
  samples(): string[] {
    return [...this.all]
      .flatMap(([name, items]) => [...items.values()].map(({ at, value }) => `${RESOURCES[name]} ${at} ${value}`))
      .sort()
  }

  /** Responds to requests to the provider's API. */
  readonly handle = ({ method, path, query, tokenSet }: FakeProviderRequest): FakeProviderResponse | undefined => {
    if (tokenSet === null) return { status: 401, body: { error: 'unauthorized' } }
    if (path === '/me') return { body: { id: tokenSet.account } }
    if (path === '/access' && method === 'DELETE') return { status: 204 }
    const [, , collection = '', id] = path.split('/')
    const items = this.all.get(collection)
    if (!items) return undefined
    if (id !== undefined) {
      const item = items.get(id)
      return item ? { body: { data: [item], next: null } } : undefined
    }
    const [from, to, page] = ['from', 'to', 'page'].map(name => Number(query.get(name) ?? 0)) as [
      number,
      number,
      number,
    ]
    const found = [...items.values()].filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at)
    const shown = found.slice(page * PAGE, (page + 1) * PAGE)
    return { body: { data: shown, next: found.length > (page + 1) * PAGE ? page + 1 : null, extra: 'unknown' } }
  }
}

async function* pull(session: TokenSession, pullRequest: PullRequest): AsyncGenerator<PulledPage> {
  const base = `${session.app.apiUrl}/data/${pullRequest.collection}`
  for (let page: number | null = 0; page !== null; ) {
    const url = new URL(pullRequest.recordId === undefined ? base : `${base}/${pullRequest.recordId}`)
    url.searchParams.set('from', `${pullRequest.window.from}`)
    url.searchParams.set('to', `${pullRequest.window.to}`)
    url.searchParams.set('page', `${page}`)
    const body = (await session.send({ method: 'GET', url })).json()
    yield buildPage(pullRequest.collection, member(body, 'data') as readonly Item[])
    page = member(body, 'next') as number | null
  }
}

function buildPage(collection: string, items: readonly Item[]): PulledPage {
  const resource = RESOURCES[collection] ?? ''
  return {
    records: items.map(({ id, at, value, version }) => {
      const builder = new SampleBatchBuilder({ resource, type: null, provider: TEST_PROVIDER, sourceType: 'watch' })
      builder.push({ start: at, value })
      return { id, version, batches: [builder.take()], summaries: [], streams: [] }
    }),
    batches: [],
    unmapped: items.length > 0 ? { [`${collection}.mood`]: items.length } : {},
  }
}

const shared = { windowDays: 10, pollMs: HOUR_MS, overlapDays: 2 }

export const pulledConnector: LiveConnector = {
  ...testConnector,
  collections: [
    { ...shared, name: DAYS, resources: ['steps'], scopes: ['daily'], historyDays: 30 },
    {
      ...shared,
      name: PULSE,
      resources: ['heartrate'],
      scopes: ['heartrate'],
      historyDays: Number.POSITIVE_INFINITY,
      emptyWindows: 2,
    },
  ],
  failureIn: () => null,
  pull,
  notifications: {
    async receive(_session, { header, body, method, query }, { clientSecret, verificationToken }) {
      if (method === 'GET') {
        const isTheirs = query.get('token') === verificationToken
        return isTheirs
          ? { kind: 'answered', status: 200, type: 'text/plain', body: query.get('challenge') ?? '' }
          : { kind: 'refused', status: 401, reason: 'token' }
      }
      if (method === 'HEAD') return { kind: 'answered', status: 200 }
      if (header('x-signature') !== signed(body, clientSecret)) {
        return { kind: 'refused', status: 401, reason: 'signature' }
      }
      const events = JSON.parse(Buffer.from(body).toString()) as NotifiedEvent[]
      return { kind: 'received', status: 204, events }
    },
    subscriptions: null,
    instructions: () => [],
  },
}

/** Returns the signature of a notification. */
export function signed(body: Uint8Array | string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}
