/** The differences between live providers in the cases of the contract suite. */
import type { ProviderErrorKind } from '../../../../src/connectors/provider-session.ts'
import type { Fault } from '../../../providers/fake-provider.ts'

export interface Differences {
  /** Settings of the OAuth app at the fake provider. */
  readonly settings?: (url: string) => Readonly<Record<string, string>>
  /** Scopes as the consent page calls them, if the provider reports the granted ones. */
  readonly saysScopes: boolean
  /** `rotates`: a refresh returns another refresh token; `stays`: the same one can be used again; `none`: there is none. */
  readonly refresh: 'rotates' | 'stays' | 'none'
  /** Further failures of the collection, by the provider's response. */
  readonly failures: readonly (readonly [fault: Omit<Fault, 'path'>, kind: ProviderErrorKind])[]
  /** The wait that a 429 with these headers requests, in milliseconds; null: the connector leaves it to `Retry-After`. */
  readonly limits: readonly (readonly [headers: Readonly<Record<string, string>>, waitMs: number | null])[]
  /** Collections whose records can be read separately, with the ID of a record that does not exist. */
  readonly missing: Readonly<Record<string, string>>
  /** The unmapped count for a row of the target with an additional field `novelty`. */
  readonly unmapped: Readonly<Record<string, number>>
}

const withingsStatus = (status: number) => ({ body: { status, body: {}, error: 'a secret' } })
const googleReason = (code: number, status: string, reason: string) => ({
  status: code,
  body: { error: { status, details: [{ reason }] } },
})

/** By the slug of the provider. */
export const DIFFERENCES: Readonly<Record<string, Differences>> = {
  oura: {
    settings: url => ({ revoke_url: `${url}/oauth/revoke` }),
    saysScopes: true,
    refresh: 'rotates',
    failures: [[{ body: { data: {} } }, 'bad_answer']],
    limits: [],
    missing: { daily_activity: 'gone', sleep: 'gone', workout: 'gone', enhanced_tag: 'a/b' },
    unmapped: { 'daily_activity.novelty': 1 },
  },
  withings: {
    saysScopes: true,
    refresh: 'rotates',
    // the status is in the body
    failures: [
      [withingsStatus(401), 'access_refused'],
      [withingsStatus(101), 'access_refused'],
      [withingsStatus(214), 'scope_missing'],
      [withingsStatus(2555), 'scope_missing'],
      [withingsStatus(293), 'bad_request'],
      [withingsStatus(601), 'rate_limited'],
      [withingsStatus(522), 'unavailable'],
      [withingsStatus(524), 'unavailable'],
      [withingsStatus(9999), 'unavailable'],
      [{ body: { body: {} } }, 'bad_answer'],
    ],
    limits: [],
    missing: {},
    unmapped: {},
  },
  whoop_v2: {
    saysScopes: true,
    refresh: 'rotates',
    failures: [
      [{ body: { records: null } }, 'bad_answer'],
      [{ body: [] }, 'bad_answer'],
    ],
    limits: [
      [{ 'x-ratelimit-reset': '17' }, 17_000],
      [{ 'x-ratelimit-reset': 'soon' }, null],
    ],
    missing: { sleep: 'gone', workout: 'gone', cycle: '7' },
    unmapped: { 'workout.novelty': 1 },
  },
  polar: {
    saysScopes: false,
    refresh: 'none',
    failures: [[{ body: { error: 'inside' } }, 'bad_answer']],
    // of the short window, and of the long one
    limits: [
      ['520, 900', 300_000],
      ['20, 5100', 80_000_000],
      ['520, 5100', 80_000_000],
    ].map(([usage, waitMs]) => [
      { 'ratelimit-usage': `${usage}`, 'ratelimit-limit': '520, 5100', 'ratelimit-reset': '300, 80000' },
      Number(waitMs),
    ]),
    missing: {
      exercises: 'gone',
      sleep: '2026-10-30',
      activities: '2026-10-30',
      continuous_heart_rate: '2026-10-30',
    },
    unmapped: { 'activity.active_duration': 1, 'activity.novelty': 1 },
  },
  google_health: {
    settings: url => ({ revoke_url: `${url}/revoke`, keyset_url: `${url}/keyset` }),
    saysScopes: true,
    refresh: 'stays',
    failures: [
      [googleReason(400, 'FAILED_PRECONDITION', 'ACCOUNT_NOT_LINKED'), 'grant_lost'],
      [googleReason(400, 'INVALID_ARGUMENT', 'INVALID_FILTER'), 'bad_request'],
      [googleReason(403, 'PERMISSION_DENIED', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'), 'scope_missing'],
      [googleReason(403, 'PERMISSION_DENIED', 'SERVICE_DISABLED'), 'credentials'],
      [googleReason(403, 'PERMISSION_DENIED', 'USER_PROJECT_DENIED'), 'credentials'],
      [googleReason(403, 'RESOURCE_EXHAUSTED', 'RATE_LIMIT_EXCEEDED'), 'rate_limited'],
      [{ body: { dataPoints: {} } }, 'bad_answer'],
    ],
    limits: [],
    missing: { sleep: 'gone', exercise: 'gone', body: 'weight/gone' },
    // it is next to the steps, not in them
    unmapped: {},
  },
  dexcom_v3: {
    saysScopes: true,
    refresh: 'rotates',
    failures: [[{ body: { records: 'none' } }, 'bad_answer']],
    limits: [],
    missing: {},
    unmapped: { 'events.novelty': 1 },
  },
}
