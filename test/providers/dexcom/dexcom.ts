/**
 * The fake provider for Dexcom: one region's host, windows of at most 30 days, dates without a zone. See the facts in
 * docs/live-providers.md.
 */
import {
  type FakeProvider,
  type FakeProviderOptions,
  type FakeProviderRequest,
  type FakeProviderResponse,
  openFakeProvider,
} from '../fake-provider.ts'

export type DexcomRecord = Readonly<Record<string, unknown>> & { readonly systemTime?: string }

export interface DexcomAccount {
  readonly egvs: DexcomRecord[]
  readonly events: DexcomRecord[]
  readonly calibrations: DexcomRecord[]
}

export interface FakeDexcom extends FakeProvider {
  /** By account: the `userId`. */
  readonly accounts: Map<string, DexcomAccount>
  /** Which ends of a window are included; the documentation does not say. */
  bounds: 'both' | 'start' | 'neither'
}

const KINDS = ['egvs', 'events', 'calibrations'] as const
const MOST_WINDOW_MS = 30 * 86_400_000
const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/

export async function openDexcom(options: Pick<FakeProviderOptions, 'port' | 'now'> = {}): Promise<FakeDexcom> {
  const accounts = new Map<string, DexcomAccount>([['person-1', emptyAccount()]])

  const handle = ({ method, path, query, tokenSet }: FakeProviderRequest): FakeProviderResponse | undefined => {
    const kind = KINDS.find(each => path === `/v3/users/self/${each}`)
    if (method !== 'GET' || (kind === undefined && path !== '/v3/users/self/dataRange')) return undefined
    if (!tokenSet) return { status: 401, body: { fault: { faultstring: 'Invalid access token' } } }
    const account = accounts.get(tokenSet.account) ?? emptyAccount()
    const head = { recordVersion: '3.0', userId: tokenSet.account }
    if (kind === undefined) return { body: { recordType: 'dataRange', ...head, ...dataRange(account) } }
    const records = within(account[kind], query, extended.bounds)
    if (records === undefined) return { status: 400, body: { errors: ['invalid dates'] } }
    return { body: { recordType: kind.slice(0, -1), ...head, records } }
  }

  const fake = await openFakeProvider({
    authorizePath: '/v3/oauth2/login',
    tokenPath: '/v3/oauth2/token',
    clientAuth: 'body',
    refresh: 'rotates',
    expiresInS: 7200,
    ...options,
    handle,
  })
  const extended = Object.assign(fake, { accounts, bounds: 'both' as FakeDexcom['bounds'] })
  return extended
}

export function emptyAccount(): DexcomAccount {
  return { egvs: [], events: [], calibrations: [] }
}

/** Returns a reading of the sensor. Times are those of a receiver, without a zone. */
export function reading(at: number, value: number, offsetHours = 1): DexcomRecord {
  return {
    recordId: `egv-${at}`,
    systemTime: local(at),
    displayTime: local(at + offsetHours * 3_600_000),
    value,
    unit: 'mg/dL',
    status: 'ok',
    trend: 'flat',
    trendRate: 0,
    rateUnit: 'mg/dL/min',
    transmitterGeneration: 'g7',
    displayDevice: 'iOS',
  }
}

/** Returns an account with a reading every five minutes of the last days, and a manual entry on each day. */
export function busyAccount(now: number, days: number): DexcomAccount {
  const account = emptyAccount()
  const stepMs = 300_000
  const last = Math.floor(now / stepMs) * stepMs
  for (let i = days * 288; i > 0; i--) account.egvs.push(reading(last - i * stepMs, 80 + (i % 60)))
  for (let day = days; day > 0; day--) {
    const at = last - day * 86_400_000 + 3_600_000
    account.events.push({
      recordId: `event-${day}`,
      systemTime: local(at),
      displayTime: local(at + 3_600_000),
      eventStatus: 'created',
      eventType: 'carbs',
      value: '45',
      unit: 'grams',
    })
    account.calibrations.push({ ...reading(at, 101), recordId: `calibration-${day}` })
  }
  return account
}

/** `YYYY-MM-DDTHH:mm:ss` */
export function local(at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}

function parseInstant(text: string): number {
  return Date.parse(/(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`)
}

function within(
  records: readonly DexcomRecord[],
  query: URLSearchParams,
  bounds: FakeDexcom['bounds'],
): readonly DexcomRecord[] | undefined {
  const [start, end] = [query.get('startDate') ?? '', query.get('endDate') ?? '']
  if (!DATE.test(start) || !DATE.test(end)) return undefined
  const [from, to] = [parseInstant(start), parseInstant(end)]
  if (to < from || to - from > MOST_WINDOW_MS) return undefined
  return records.filter(({ systemTime = '' }) => {
    const at = parseInstant(systemTime)
    const isAfter = bounds === 'neither' ? at > from : at >= from
    // a record without a readable time is in every window
    return Number.isNaN(at) || (isAfter && (bounds === 'both' ? at <= to : at < to))
  })
}

function dataRange(account: DexcomAccount): Readonly<Record<string, unknown>> {
  const range: Record<string, unknown> = {}
  for (const kind of KINDS) {
    const times = account[kind].map(each => parseInstant(each.systemTime ?? '')).filter(time => !Number.isNaN(time))
    if (times.length === 0) continue
    const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))]
    range[kind] = {
      start: { systemTime: local(first), displayTime: local(first) },
      end: { systemTime: local(last), displayTime: local(last) },
    }
  }
  return range
}
