/** A request for each operation that is valid except for the one ID to replace. */
import type { Operation } from '../../../src/contract/kernel/operation.ts'
import { type OperationId, operations } from '../../../src/contract/operations.ts'
import { orderBody } from '../../engine/orders/orders.ts'
import { describedAs } from '../requests/documented.ts'
import { type IdField, type Kind, kindAt, plainValue, type Records } from './id-kinds.ts'

const QUERY = {
  select: [{ func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
}
const BATCH = {
  timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'week', value: 1 } },
  queries: [QUERY],
}
const INFO = {
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'ada@example.test',
  phone_number: '+15550100199',
  gender: 'female',
  dob: '1985-12-10',
  address: { first_line: '1 Engine Way', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' },
}

/** JSON bodies by operation: `things` are IDs that the caller may use, `chosen` is the ID under test. */
const BODIES: Partial<Record<OperationId, (records: Records, field: IdField, chosen: string) => unknown>> = {
  'user.patch': () => ({ ingestion_start: '2026-01-01' }),
  'user.set_info': () => INFO,
  'user.add_insurance': () => ({
    payor_code: 'AETNA',
    member_id: 'A1',
    relationship: 'Self',
    insured: { ...INFO, address: INFO.address },
  }),
  'provider.fail': () => ({ error_type: 'token_refresh_failed' }),
  'link.token': (_, __, chosen) => ({ user_id: chosen }),
  'link.demo': (_, __, chosen) => ({ user_id: chosen, provider: 'oura' }),
  'link.complete_mfa_for_user': () => ({ mfa_code: '123456' }),
  'aggregate.query': () => BATCH,
  'aggregate.download': () => BATCH,
  'aggregate.explain': () => ({ query: BATCH }),
  'source_order.replace': () => ({ sources: [] }),
  'aggregate.correct': () => ({ verdict: 'different' }),
  'order.create': (records, { name }, chosen) => {
    const body = orderBody(name === 'user_id' ? chosen : records.user)
    if (name === 'lab_test_ids') return { ...body, order_set: { lab_test_ids: [chosen] } }
    return name === 'lab_test_id' ? { ...body, order_set: undefined, lab_test_id: chosen } : body
  },
  'order.simulate': () => ({}),
  'labs.order_set_markers': (_, __, chosen) => ({ lab_test_ids: [chosen] }),
  'import.remap': (_, { name }, chosen) => ({ [name]: name === 'import_ids' ? [chosen] : chosen }),
  'provider.remap': (_, __, chosen) => ({ user_id: chosen }),
  'team.update': () => ({ user_limit: 7 }),
  'key.create': () => ({ label: 'one' }),
  'webhook.update': () => ({ concurrency: 3 }),
  'continuous_query.rename': () => ({ title: 'One' }),
  'event.resend': (_, { part }, chosen) => (part === 'body' ? { endpoint_id: chosen } : {}),
  'events.resend': (_, __, chosen) => ({ since: '2026-01-01', endpoint_id: chosen }),
  'event.trigger': (_, __, chosen) => ({ type: 'provider.device.created', user_id: chosen }),
  'user.undo_delete': (_, { part, name }, chosen) => (part === 'body' ? { [name]: chosen } : undefined),
}

/** A request with its bytes. */
export interface ForeignRequest {
  readonly method: string
  readonly target: string
  readonly body: unknown
}

/** Returns the request with `chosen` in one position and the caller's own objects in all others. */
export function requestWith(field: IdField, chosen: string, records: Records, bytes: Buffer): ForeignRequest {
  const { id } = field
  const operation: Operation = operations[id]
  const { path, described } = describedAs(id)
  const fits = (part: string, name: string): boolean => field.part === part && field.name === name
  const value = (part: 'path' | 'query', name: string): string => {
    if (fits(part, name)) return chosen
    const kind = kindAt({ id, part, name })
    return kind ? records[kind as Kind] : plainValue(id, name)
  }
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value('path', name)))
  const query = (described.parameters ?? [])
    .filter(each => each.in === 'query' && (each.required || fits('query', each.name)))
    .map(each => `${each.name}=${encodeURIComponent(value('query', each.name))}`)
  return {
    method: operation.method,
    target: query.length === 0 ? target : `${target}?${query.join('&')}`,
    body: operation.bodyIsBytes ? bytes : BODIES[id]?.(records, field, chosen),
  }
}
