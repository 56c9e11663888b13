/** Shared helpers for tests of continuous queries: users with samples, a query by day, and access to its results. */
import { Readable } from 'node:stream'
import type { QueryBatchInput } from '../../../src/contract/aggregates/aggregate.ts'
import type { CallerInput } from '../../../src/contract/kernel/operation.ts'
import type { Operations } from '../../../src/contract/operations.ts'
import type { UserId } from '../../../src/core/ids.ts'
import type { Store } from '../../../src/store/port.ts'
import type { Harness } from '../../kit/harness.ts'

export type CreateBody = NonNullable<CallerInput<Operations['continuous_query.create']>['body']>

/** Steps by day, with a bucket that refers to no table. */
export const DAILY_STEPS = {
  slug: 'daily-steps',
  title: 'Steps by the day',
  query: {
    select: [
      { group_key: '*' },
      { func: 'sum', arg: { timeseries: 'steps', field: 'value' } },
      { func: 'newest', arg: { timeseries: 'steps', field: 'source_type' } },
    ],
    group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { placeholder: true } }],
    timeframe: { placeholder: true },
  },
} satisfies CreateBody

/** Returns the same as a plain query over the preceding days. */
export const plainly = (body: CreateBody, days = 400): QueryBatchInput => {
  const { timeframe: _, ...query } = body.query
  const group_by = query.group_by?.map(each =>
    'arg' in each && 'placeholder' in each.arg ? { ...each, arg: { index: 'timeseries' } } : each,
  )
  return {
    timeframe: { type: 'relative', anchor: '2026-12-31', past: { unit: 'day', value: days } },
    queries: [{ ...query, ...(group_by ? { group_by } : {}) }],
    ...(body.query_config ? { config: body.query_config } : {}),
  }
}

export interface Sample {
  readonly at: string
  readonly value: number
  readonly provider?: string
  readonly type?: string
}

/** Pushes samples of one resource, each an interval of one minute. */
export async function push(h: Harness, user_id: UserId, resource: string, samples: readonly Sample[]): Promise<void> {
  const items = samples.map(({ at, value, provider = 'oura', type = 'ring' }) => ({
    resource,
    timestamp: at,
    value,
    provider,
    source_type: type,
  }))
  await h.call('samples.push', {
    params: { user_id },
    body: { kind: 'stream', stream: Readable.from([Buffer.from(JSON.stringify(items))]) },
  })
}

export async function newUser(h: Harness, client_user_id = 'ada', fields: object = {}): Promise<UserId> {
  return (await h.call('user.create', { body: { client_user_id, ...fields } })).user_id
}

export const result = async (h: Harness, user_id: UserId, query_id_or_slug = DAILY_STEPS.slug) =>
  (await h.call('aggregate.result_table', { params: { user_id, query_id_or_slug } })).table

export const history = async (h: Harness, user_id: UserId, query_id_or_slug = DAILY_STEPS.slug) =>
  (await h.call('aggregate.task_history', { params: { user_id, query_id_or_slug } })).data

/** Returns the documents of all change events so far. */
export async function changes(h: Harness, user_id: UserId): Promise<Record<string, unknown>[]> {
  const events = await h.engine.context.store.events.ofUser(user_id, 0, 10_000)
  return events.flatMap(({ type, data }) =>
    type === 'continuous_query.result_table.changed' && data.kind === 'document' ? [{ ...data.document }] : [],
  )
}

/** Returns the rows of such an event, column by column. */
export const rowsOfEvent = (document: Record<string, unknown> | undefined): unknown =>
  (document?.['data'] as { data: unknown }[] | undefined)?.[0]?.data

type Scan = Store['samples']['scan']

/** Replaces every scan of the engine with the result of `changed`, including those of audited calls, which use a view of the store. */
export function changeScans(of: Harness, changed: (scan: Scan) => Scan): void {
  const change = (store: Store): void => {
    store.samples.scan = changed(store.samples.scan.bind(store.samples))
  }
  const { store } = of.engine.context
  const auditing = store.auditing.bind(store)
  store.auditing = entry => {
    const made = auditing(entry)
    change(made.store)
    return made
  }
  change(store)
}
