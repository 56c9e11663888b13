/** The reads of the store that a query needs, over plain arrays, and short functions to fill them. */

import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { type QueryBatchInput, queryBatch } from '../../../src/contract/aggregates/aggregate.ts'
import type { QueryWarning } from '../../../src/contract/aggregates/warnings.ts'
import { ownedId, type UserId } from '../../../src/core/ids.ts'
import {
  type SampleBatch,
  SampleBatchBuilder,
  type SampleInput,
  type SeriesKey,
  type SummaryKind,
} from '../../../src/core/sample.ts'
import { type EpochMs, formatDate } from '../../../src/core/time.ts'
import { runQueryBatch } from '../../../src/engine/aggregate/run.ts'
import type { QuerySource } from '../../../src/engine/aggregate/scan/source.ts'
import type { SourcePriority } from '../../../src/store/priority.ts'
import type { StoredSummary } from '../../../src/store/sample.ts'
import type { SessionMatch } from '../../../src/store/session-match.ts'
import { toColumns } from '../../../src/table/json.ts'
import type { ResultTable } from '../../../src/table/table.ts'

export const USER = '5b1c0d2e-0000-4000-8000-000000000001' as UserId

export interface Data {
  readonly samples?: readonly SampleBatch[]
  readonly summaries?: readonly StoredSummary[]
  readonly matches?: readonly SessionMatch[]
  readonly timeZone?: string | null
}

export function memorySource(data: Data): QuerySource {
  return {
    samples: {
      async *scan(_user, query) {
        for (const batch of data.samples ?? []) {
          const inRange = batch.start.some(at => at >= query.from && at <= query.to)
          if (batch.series.resource === query.resource && inRange) yield { series: batch.series, columns: batch }
        }
      },
    },
    summaries: {
      async list(_user, query) {
        return (data.summaries ?? []).filter(
          each => each.kind === query.kind && each.date >= query.fromDate && each.date <= query.toDate,
        )
      },
    },
    sessionMatches: { list: async () => [...(data.matches ?? [])] },
  }
}

export const utc = (text: string): EpochMs => Date.parse(`${text}${text.length === 10 ? 'T00:00:00' : ''}Z`)

/** Returns a series of samples; times are in UTC. */
export function series(
  key: Partial<SeriesKey> & { resource: string },
  samples: readonly (readonly [time: string, value: number, more?: Partial<SampleInput>])[],
): SampleBatch {
  const builder = new SampleBatchBuilder({ type: null, provider: 'oura', sourceType: 'ring', ...key })
  for (const [time, value, more] of samples) builder.push({ start: utc(time), value, ...more })
  return builder.take()
}

export function sleep(
  endUtc: string,
  document: Record<string, unknown>,
  more: Partial<StoredSummary> = {},
): StoredSummary {
  const at = utc(endUtc)
  const provider = more.provider ?? 'oura'
  return {
    kind: 'sleep',
    id: ownedId(USER, 'sleep', provider, endUtc),
    provider,
    sourceType: 'ring',
    appId: null,
    deviceId: null,
    at,
    date: formatDate(at),
    offset: 0,
    createdAt: at,
    updatedAt: at,
    document,
    ...more,
  }
}

export function activity(
  date: string,
  document: Record<string, unknown>,
  more: Partial<StoredSummary> = {},
): StoredSummary {
  return { ...sleep(date, document), kind: 'activity', id: ownedId(USER, 'activity', date), date, ...more }
}

/** Returns a summary of any kind, in UTC. */
export function summary(
  kind: SummaryKind,
  timeUtc: string,
  document: Record<string, unknown>,
  more: Partial<StoredSummary> = {},
): StoredSummary {
  return { ...sleep(timeUtc, document, more), kind, id: ownedId(USER, kind, more.provider ?? 'oura', timeUtc), ...more }
}

/** Returns a list sub-query over the lists of a menstrual cycle; a null `field` counts elements. */
export function ofCycle(list: string, func: string, field: string | null, where?: string) {
  const arg = field === null ? null : { field_for: 'menstrual_cycle', [list]: field }
  return {
    select: { func, arg },
    from: { unnest: { menstrual_cycle: list } },
    ...(where === undefined ? {} : { where }),
  }
}

type Query = QueryBatchInput['queries'][number]

export interface Asked {
  readonly anchor?: string
  readonly past?: QueryBatchInput['timeframe'] extends infer T ? (T extends { past: infer P } ? P : never) : never
  readonly priority?: string[]
  readonly now?: EpochMs
  readonly priorities?: readonly SourcePriority[]
  readonly warn?: (warning: QueryWarning) => void
}

/** Returns the Arrow table for one query. */
export async function table(data: Data, query: Query, asked: Asked = {}): Promise<ResultTable> {
  const body = queryBatch().parse({
    timeframe: {
      type: 'relative',
      anchor: asked.anchor ?? '2024-12-13',
      past: asked.past ?? { unit: 'month', value: 3 },
    },
    queries: [query],
    config: asked.priority ? { provider_priority_overrides: asked.priority } : null,
  })
  const user = { userId: USER, fallbackTimeZone: data.timeZone ?? null }
  const [result] = await runQueryBatch(memorySource(data), user, body, {
    now: asked.now ?? utc('2026-11-20'),
    providers: SHIPPED_REGISTRY,
    priorities: asked.priorities ?? [],
    ...(asked.warn ? { warn: asked.warn } : {}),
  })
  return result as ResultTable
}

/** Returns the result of one query, column by column. */
export async function ask(data: Data, query: Query, asked: Asked = {}): Promise<Record<string, unknown[]>> {
  return toColumns(await table(data, query, asked))
}

/** Returns the refusal of one query: its code, its position, and its message. */
export async function refusal(query: unknown, asked: Asked = {}, data: Data = {}) {
  try {
    await table(data, query as Query, asked)
  } catch (error) {
    const { code, status, message, suggestions, body } = error as {
      code: string
      status: number
      message: string
      suggestions: string[]
      body: { detail: [{ loc: unknown[]; msg: string }] }
    }
    return { code, status, message, suggestions, loc: body?.detail?.[0]?.loc.join('.') }
  }
  throw new Error('the query was not refused')
}
