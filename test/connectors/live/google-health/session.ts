/** Shared sessions and pulls for the Google Health tests. */
import type { PulledPage, PullRequest } from '../../../../src/connectors/connector.ts'
import { googleHealthConnector as connector } from '../../../../src/connectors/live/google-health/connector.ts'
import type { UserId } from '../../../../src/core/ids.ts'
import { NO_OFFSET, type SampleBatch } from '../../../../src/core/sample.ts'
import { type FakeGoogleHealth, SCOPE_PREFIX } from '../../../providers/google-health/google-health.ts'
import { testApp, testSession } from '../../../providers/test-session.ts'
import { expectStated } from '../../stated-kinds.ts'

export const NOW = Date.parse('2026-11-20T12:00:00Z')
export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const USER = '11111111-2222-4333-8444-555555555555' as UserId

export function appOfGoogle(google: FakeGoogleHealth, settings: Readonly<Record<string, string>> = {}) {
  const app = testApp(google, connector)
  const own = { revoke_url: `${google.url}/revoke`, keyset_url: `${google.url}/keyset` }
  return { ...app, settings: { ...app.settings, ...own, ...settings } }
}

/** Opens a session with a token set for these scopes, named as in the connector; absent: all. */
export function openSession(google: FakeGoogleHealth, scopes = connector.scopes.map(each => each.name)) {
  const { accessToken, refreshToken } = google.issue(
    'person-1',
    scopes.map(name => SCOPE_PREFIX + name),
  )
  const tokenSet = { accessToken, refreshToken, expiresAt: null, scopes, extra: {} }
  return testSession(google, connector, { grant: tokenSet, app: appOfGoogle(google) })
}

/** Pulls a collection, by default the last day of everything, and joins its pages. */
export async function pullFrom(
  google: FakeGoogleHealth,
  collection: string,
  asked: Partial<PullRequest> = {},
): Promise<PulledPage> {
  const request = {
    userId: USER,
    collection,
    window: { from: NOW - DAY, to: NOW },
    resources: connector.resources,
    timeZone: null,
    now: NOW,
    ...asked,
  }
  const records: PulledPage['records'][number][] = []
  const batches: SampleBatch[] = []
  const unmapped: Record<string, number> = {}
  for await (const page of connector.pull(openSession(google), request)) {
    records.push(...page.records)
    batches.push(...page.batches)
    expectStated(connector.kinds, [...page.batches, ...page.records.flatMap(each => each.batches)], connector.provider)
    for (const [kind, n] of Object.entries(page.unmapped)) unmapped[kind] = (unmapped[kind] ?? 0) + n
  }
  return { records, batches, unmapped }
}

/** Returns samples as rows. */
export function rows(batches: readonly SampleBatch[]) {
  return batches.flatMap(({ series, n, start, end, value, offset }) =>
    Array.from({ length: n }, (_, i) => ({
      series: `${series.resource} ${series.sourceType}`,
      at: start[i] ?? Number.NaN,
      end: end?.[i] ?? start[i],
      value: value[i] ?? Number.NaN,
      offset: offset?.[i] ?? NO_OFFSET,
    })),
  )
}
