/** The requests for data of Dexcom: hosts by region, dates without a zone, and the range of what an account has. */
import { DAY_MS, type EpochMs, instantOf, SECOND_MS } from '../../../core/time.ts'
import { asObject, type JsonObject, member } from '../../files/json/fields.ts'
import { type GrantSession, type ProviderAnswer, type ProviderApp, ProviderError } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { parseTime } from './records.ts'

/** Hosts by region. An account exists in one region only. */
export const HOSTS: Readonly<Record<string, string>> = {
  us: 'https://api.dexcom.com',
  eu: 'https://api.dexcom.eu',
  jp: 'https://api.dexcom.jp',
  sandbox: 'https://sandbox-api.dexcom.com',
}
const DEFAULT_HOST = 'https://api.dexcom.com'
export const DEFAULTS = {
  authorizeUrl: `${DEFAULT_HOST}/v3/oauth2/login`,
  tokenUrl: `${DEFAULT_HOST}/v3/oauth2/token`,
  apiUrl: DEFAULT_HOST,
} as const

export type RecordKind = 'egvs' | 'events' | 'calibrations'

/** Older windows are compared with what the account has before they are read. */
const RECENT_MS = 30 * DAY_MS

/** Returns the app with the addresses of a region, except for those that the operator gave. */
export function inRegion(app: ProviderApp, region: string | undefined): ProviderApp {
  const host = HOSTS[region ?? ''] ?? DEFAULT_HOST
  const moved = (name: keyof typeof DEFAULTS): string =>
    app[name] === DEFAULTS[name] ? host + DEFAULTS[name].slice(DEFAULT_HOST.length) : app[name]
  return { ...app, authorizeUrl: moved('authorizeUrl'), tokenUrl: moved('tokenUrl'), apiUrl: moved('apiUrl') }
}

/** Returns the records of a kind in a window. Throws ProviderError. */
export async function recordsIn(
  session: GrantSession,
  kind: RecordKind,
  { from, to }: PullWindow,
): Promise<readonly unknown[]> {
  const url = addressOf(session, `v3/users/self/${kind}`)
  // whether the bounds are inclusive is not documented: a second more at both ends, and the rest is up to the caller
  url.searchParams.set('startDate', dateOf(Math.floor(from / SECOND_MS) * SECOND_MS - SECOND_MS))
  url.searchParams.set('endDate', dateOf(Math.ceil(to / SECOND_MS) * SECOND_MS + SECOND_MS))
  const { records } = objectIn(await session.send({ method: 'GET', url }))
  if (records === undefined || records === null) return []
  if (!Array.isArray(records)) throw new ProviderError('bad_answer', `The list of ${kind} of Dexcom is no list.`)
  return records
}

/** Returns what the account has, of each kind from its first to its last record. Throws ProviderError. */
export async function dataRange(session: GrantSession): Promise<JsonObject> {
  // lastSyncTime is left out: with an old one the answer is wrong
  return objectIn(await session.send({ method: 'GET', url: addressOf(session, 'v3/users/self/dataRange') }))
}

/** Returns whether an old window may have records: whether the account had any of the kind by then. Throws ProviderError. */
export async function mayHave(
  session: GrantSession,
  kind: RecordKind,
  { to }: PullWindow,
  now: EpochMs,
): Promise<boolean> {
  if (to > now - RECENT_MS) return true
  const range = member(await dataRange(session), kind)
  // no range: it says nothing about this kind
  if (asObject(range) === undefined) return true
  const start = parseTime(member(member(range, 'start'), 'systemTime'))
  return start === undefined || instantOf(start) < to
}

/** Returns the address of a path at the region that issued the grant. */
function addressOf({ app, grant }: GrantSession, path: string): URL {
  const { apiUrl } = inRegion(app, grant.extra['region'] ?? app.settings['region'])
  return new URL(`${apiUrl.replace(/\/+$/, '')}/${path}`)
}

/** `YYYY-MM-DDTHH:mm:ss`: a zone or milliseconds are refused. */
function dateOf(ms: EpochMs): string {
  return new Date(ms).toISOString().slice(0, 19)
}

function objectIn(answer: ProviderAnswer): JsonObject {
  const body = asObject(answer.json())
  if (body === undefined) throw new ProviderError('bad_answer', 'Dexcom answered with JSON that is no object.')
  return body
}
