/** Requests data from Dexcom: hosts by region, dates without a zone, and the range of an account's data. */
import { DAY_MS, type EpochMs, SECOND_MS, toInstant } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { AppSession, ProviderApp, TokenSession } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { asObject, type JsonObject, member } from '../../shared/json-fields.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import type { TokenSet } from '../../token-set.ts'
import type { RecordForm } from '../record-view.ts'
import { getObject, getPages, type ListForm } from '../requests.ts'
import { parseTime, readSystemTime } from './records.ts'

/** Hosts by region. An account exists in only one region. */
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

export const DEXCOM: RecordForm = {
  provider: 'dexcom_v3',
  ignored: new Set([
    ...['recordId', 'systemTime', 'displayTime', 'eventStatus', 'displayDevice', 'displayApp'],
    ...['transmitterId', 'transmitterTicks', 'transmitterGeneration'],
    // the trend as a number, and the unit of that number
    ...['trendRate', 'rateUnit'],
  ]),
  countsNested: false,
}

/** Age from which windows are compared with the account's data range before they are read. */
const RECENT_MS = 30 * DAY_MS

/** Returns the app with a region's URLs, except for URLs that the operator configured. */
export function inRegion(app: ProviderApp, region: string | undefined): ProviderApp {
  const host = HOSTS[region ?? ''] ?? DEFAULT_HOST
  const moved = (name: keyof typeof DEFAULTS): string =>
    app[name] === DEFAULTS[name] ? host + DEFAULTS[name].slice(DEFAULT_HOST.length) : app[name]
  return { ...app, authorizeUrl: moved('authorizeUrl'), tokenUrl: moved('tokenUrl'), apiUrl: moved('apiUrl') }
}

const LIST: ListForm = { records: 'records', isOptional: true }
const SELF = '/v3/users/self'

/** A record and its creation time. */
export interface DexcomRecord {
  /** The record; undefined if it is not an object. */
  readonly fields: JsonObject | undefined
  readonly time: RecordTime | undefined
}

/** Returns a function that yields records of one kind in a window, and throws ProviderError. */
export function recordPages(kind: string) {
  return async function* (
    session: TokenSession,
    { window, now }: PullRequest,
  ): AsyncGenerator<readonly DexcomRecord[]> {
    const { from, to } = window
    if (!(await mayHave(session, kind, window, now))) return yield []
    // it is not documented whether the bounds are inclusive, so requests add a second at both ends, and records outside the window are
    // dropped
    const range = {
      startDate: formatSeconds(Math.floor(from / SECOND_MS) * SECOND_MS - SECOND_MS),
      endDate: formatSeconds(Math.ceil(to / SECOND_MS) * SECOND_MS + SECOND_MS),
    }
    for await (const records of getPages(inOwnRegion(session), LIST, `${SELF}/${kind}`, range)) {
      const read = records.map(asObject).map(fields => ({ fields, time: fields && readSystemTime(fields) }))
      // a record without a time is counted
      yield read.filter(({ time }) => time === undefined || (time.ms >= from && time.ms < to))
    }
  }
}

/** Returns the account's data range, from the first to the last record of each kind. Throws ProviderError. */
export function dataRange(session: TokenSession): Promise<JsonObject> {
  // lastSyncTime is omitted, because the response is wrong if it is old
  return getObject(inOwnRegion(session), `${SELF}/dataRange`)
}

/**
 * Returns whether an old window may contain records. This is the case if the account already had records of this kind at that time. Throws
 * ProviderError.
 */
async function mayHave(session: TokenSession, kind: string, { to }: PullWindow, now: EpochMs): Promise<boolean> {
  if (to > now - RECENT_MS) return true
  const range = member(await dataRange(session), kind)
  // the response has no range for this kind
  if (asObject(range) === undefined) return true
  const start = parseTime(member(member(range, 'start'), 'systemTime'))
  return start === undefined || toInstant(start) < to
}

/** Returns the region that issued a token set. The account exists only there, regardless of the current setting. */
export function accountRegion({ app }: AppSession, tokenSet?: TokenSet): string {
  return tokenSet?.extra['region'] ?? app.settings['region'] ?? 'us'
}

/** Returns the session with a region's hosts. */
export function regional(session: AppSession, region: string): AppSession {
  return Object.create(session, { app: { value: inRegion(session.app, region) } }) as AppSession
}

function inOwnRegion(session: TokenSession): AppSession {
  return regional(session, accountRegion(session, session.tokenSet))
}

/** Returns `YYYY-MM-DDTHH:mm:ss`, because a zone or milliseconds would be refused. */
function formatSeconds(ms: EpochMs): string {
  return new Date(ms).toISOString().slice(0, 19)
}
