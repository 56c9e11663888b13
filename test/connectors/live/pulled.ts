/**
 * Pulls a connector's collections in tests, checks every summary against the contract and every sample's kind against the connector's
 * statement, and returns the data in a form that is easy to compare.
 */
import type { ProviderRecord, PulledPage, PullRequest } from '../../../src/connectors/connector.ts'
import type { LiveConnector } from '../../../src/connectors/live/live-connector.ts'
import type { ProviderApp, TokenSession } from '../../../src/connectors/provider-session.ts'
import type { TokenSet } from '../../../src/connectors/token-set.ts'
import type { UserId } from '../../../src/core/ids.ts'
import {
  NO_OFFSET,
  type SampleBatch,
  type SummaryKind,
  type SummaryRecord,
  TEXT_COLUMNS,
  textAt,
} from '../../../src/core/sample.ts'
import type { FakeProvider } from '../../providers/fake-provider.ts'
import { testApp, testSession } from '../../providers/test-session.ts'
import { readDocument } from '../read-document.ts'
import { expectStated } from '../stated-kinds.ts'

export const USER = '11111111-2222-4333-8444-555555555555' as UserId

interface ShownSample {
  readonly resource: string
  readonly sourceType: string
  readonly start: string
  /** Absent if the sample ends where it starts. */
  readonly end?: string
  readonly value: number
  readonly second?: number
  readonly offset: number | null
  readonly text?: Readonly<Record<string, string>>
}

export interface Pulled {
  readonly pages: readonly PulledPage[]
  readonly records: readonly ProviderRecord[]
  /** From records and outside of records, by time. */
  readonly samples: readonly ShownSample[]
  readonly summaries: readonly SummaryRecord[]
  readonly unmapped: Readonly<Record<string, number>>
}

export async function pull(
  connector: LiveConnector,
  session: TokenSession,
  asked: Pick<PullRequest, 'collection' | 'window'> & Partial<PullRequest>,
): Promise<Pulled> {
  const request = { userId: USER, resources: connector.resources, timeZone: null, now: asked.window.to, ...asked }
  const pages: PulledPage[] = []
  for await (const page of connector.pull(session, request)) pages.push(page)
  const unmapped: Record<string, number> = {}
  for (const page of pages) {
    for (const [kind, count] of Object.entries(page.unmapped)) unmapped[kind] = (unmapped[kind] ?? 0) + count
  }
  const records = pages
    .flatMap(each => each.records)
    .map(record => ({ ...record, summaries: record.summaries.map(asRead) }))
  const batches = [...records.flatMap(each => each.batches), ...pages.flatMap(each => each.batches)]
  expectStated(connector.kinds, batches, connector.provider)
  const summaries = records.flatMap(each => each.summaries)
  return {
    pages,
    records,
    samples: shownSamples(batches).sort(
      (a, b) => a.start.localeCompare(b.start) || a.resource.localeCompare(b.resource),
    ),
    summaries,
    unmapped,
  }
}

/** Returns a summary with its document as the service returns it. */
function asRead(summary: SummaryRecord): SummaryRecord {
  return { ...summary, document: readDocument(summary) }
}

/** Returns the window between two ISO texts. */
export function between(from: string, to: string): PullRequest['window'] {
  return { from: Date.parse(from), to: Date.parse(to) }
}

/** Returns the summary of a kind. Throws if there is none. */
export function findSummary(record: ProviderRecord | undefined, kind: SummaryKind): SummaryRecord {
  const found = record?.summaries.find(each => each.kind === kind)
  if (!found) throw new Error(`no summary ${kind}`)
  return found
}

/** A session of a person who has consented to everything, or to some scopes. */
export function personSession(
  fake: FakeProvider,
  connector: LiveConnector,
  options: {
    readonly account?: string
    readonly scopes?: readonly string[]
    readonly extra?: TokenSet['extra']
    readonly app?: Partial<ProviderApp>
    readonly now?: () => number
  } = {},
): TokenSession {
  const { account, scopes = connector.scopes.map(each => each.name), extra = {}, now } = options
  const { accessToken, refreshToken } = fake.issue(account, scopes)
  const tokenSet: TokenSet = { accessToken, refreshToken, expiresAt: null, scopes, extra }
  return testSession(fake, connector, {
    grant: tokenSet,
    app: testApp(fake, connector, options.app),
    ...(now && { now }),
  })
}

export function iso(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

/** Returns the samples of batches as objects, with times in ISO 8601. */
export function shownSamples(batches: readonly SampleBatch[]): ShownSample[] {
  return batches.flatMap(shown)
}

function shown(batch: SampleBatch): ShownSample[] {
  return Array.from({ length: batch.n }, (_, i) => {
    const texts = TEXT_COLUMNS.flatMap(name => {
      const value = textAt(batch.text.get(name), i)
      return value === null ? [] : [[name, value] as const]
    })
    const offset = batch.offset?.[i] ?? NO_OFFSET
    const start = batch.start[i] ?? Number.NaN
    const end = batch.end?.[i] ?? start
    return {
      resource: batch.series.resource,
      sourceType: batch.series.sourceType,
      start: iso(start),
      ...(end === start ? {} : { end: iso(end) }),
      value: batch.value[i] ?? Number.NaN,
      ...(batch.second === null ? {} : { second: batch.second[i] ?? Number.NaN }),
      offset: offset === NO_OFFSET ? null : offset,
      ...(texts.length === 0 ? {} : { text: Object.fromEntries(texts) }),
    }
  })
}
