/** What a pull brought, in a form that tests can compare. */
import type { ProviderRecord, PulledPage, PullRequest } from '../../../src/connectors/connector.ts'
import type { Grant } from '../../../src/connectors/grant.ts'
import type { LiveConnector } from '../../../src/connectors/live/live-connector.ts'
import type { GrantSession, ProviderApp } from '../../../src/connectors/provider-session.ts'
import { summaryItem } from '../../../src/contract/readings/summary.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { NO_OFFSET, type SampleBatch, type SummaryKind, type SummaryRecord, textAt } from '../../../src/core/sample.ts'
import type { StandIn } from '../../providers/stand-in.ts'
import { appOf, testSession } from '../../providers/test-session.ts'

// any user id will do
export const USER = '0a1b2c3d-0000-4000-8000-00000000000a' as UserId

export interface PlainSample {
  readonly resource: string
  readonly sourceType: string
  readonly start: string
  /** Absent if the sample ends where it starts. */
  readonly end?: string
  readonly value: number
  readonly offset: number | null
  readonly type?: string
}

/** Returns the samples of batches as objects with times in ISO 8601. */
export function plainSamples(batches: readonly SampleBatch[]): PlainSample[] {
  return batches.flatMap(({ series, n, start, end, value, offset, text }) =>
    Array.from({ length: n }, (_, i) => {
      const from = start[i] ?? Number.NaN
      const until = end?.[i] ?? from
      const type = textAt(text.get('type'), i)
      const own = offset?.[i] ?? NO_OFFSET
      return {
        resource: series.resource,
        sourceType: series.sourceType,
        start: iso(from),
        ...(until === from ? {} : { end: iso(until) }),
        value: value[i] ?? Number.NaN,
        offset: own === NO_OFFSET ? null : own,
        ...(type === null ? {} : { type }),
      }
    }),
  )
}

export function iso(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

/** A session of a person who has consented to everything, or to some scopes. */
export function personSession(
  standIn: StandIn,
  connector: LiveConnector,
  options: {
    readonly account?: string
    readonly scopes?: readonly string[]
    readonly extra?: Grant['extra']
    readonly app?: Partial<ProviderApp>
    readonly now?: () => number
  } = {},
): GrantSession {
  const { account, scopes = connector.scopes.map(each => each.name), extra = {}, now } = options
  const { accessToken, refreshToken } = standIn.issue(account, scopes)
  const grant: Grant = { accessToken, refreshToken, expiresAt: null, scopes, extra }
  return testSession(standIn, connector, { grant, app: appOf(standIn, connector, options.app), ...(now && { now }) })
}

/** Pulls a collection and returns the pages. */
export async function pulled(
  session: GrantSession,
  connector: LiveConnector,
  asked: Pick<PullRequest, 'collection' | 'window'> & Partial<PullRequest>,
): Promise<PulledPage[]> {
  const request: PullRequest = {
    userId: USER,
    resources: connector.resources,
    timeZone: null,
    now: asked.window.to,
    ...asked,
  }
  const pages: PulledPage[] = []
  for await (const page of connector.pull(session, request)) pages.push(page)
  return pages
}

export function recordsOf(pages: readonly PulledPage[]): readonly ProviderRecord[] {
  return pages.flatMap(page => page.records)
}

export function unmappedOf(pages: readonly PulledPage[]): Readonly<Record<string, number>> {
  const sum: Record<string, number> = {}
  for (const { unmapped } of pages) {
    for (const [kind, count] of Object.entries(unmapped)) sum[kind] = (sum[kind] ?? 0) + count
  }
  return sum
}

/** Returns the summary of a kind, after a check that the interface could serve it. Throws if there is none, or it has another form. */
export function summaryOf(record: ProviderRecord | undefined, kind: SummaryKind): SummaryRecord {
  const found = record?.summaries.find(each => each.kind === kind)
  if (!found) throw new Error(`no summary ${kind}`)
  const { provider, sourceType } = found
  const now = '2026-01-01T00:00:00+00:00'
  summaryItem(kind)
    .strict()
    .parse({
      // a profile has no date
      ...(kind === 'profile' ? {} : { calendar_date: found.date }),
      ...found.document,
      id: found.id,
      user_id: USER,
      source: { provider, type: sourceType, app_id: null, device_id: null },
      created_at: now,
      updated_at: now,
    })
  return found
}
