/** The kinds of IDs that operations accept, and how to create one of each kind for a team. */
import type { Operation } from '../../../src/contract/kernel/operation.ts'
import { type OperationId, operations } from '../../../src/contract/operations.ts'
import { labTestId, orderBody } from '../../engine/orders/orders.ts'
import { describedAs, schemaAt } from '../requests/documented.ts'
import type { Schema } from '../requests/schema-arbitrary.ts'

/** Objects that belong to one team. */
export const KINDS = [
  'user',
  'client_user_id',
  'deleted_user',
  'deleted_client_user_id',
  'device',
  'workout',
  'night',
  'other_night',
  'import',
  'query',
  'order',
  'lab_test',
  'team',
  'key',
  'endpoint',
  'event',
] as const
export type Kind = (typeof KINDS)[number]

/** By the name of the parameter or field; null: an object that all teams share, so no other team owns it. */
const KIND_OF_NAME: Readonly<Record<string, Kind | null>> = {
  user_id: 'user',
  client_user_id: 'client_user_id',
  query_id: 'user',
  device_id: 'device',
  workout_id: 'workout',
  sleep_id: 'night',
  session_id: 'night',
  other_session_id: 'other_night',
  import_id: 'import',
  import_ids: 'import',
  query_id_or_slug: 'query',
  order_id: 'order',
  order_ids: 'order',
  lab_test_id: 'lab_test',
  lab_test_ids: 'lab_test',
  team_id: 'team',
  key_id: 'key',
  endpoint_id: 'endpoint',
  event_id: 'event',
  // belongs to the store itself
  person_id: null,
  passkey_id: null,
  fault_id: null,
  recording_id: null,
  // the catalogue
  lab_id: null,
  lab_account_id: null,
  marker_id: null,
  marker_ids: null,
  provider_id: null,
  provider_ids: null,
  question_id: null,
  // insurance cards: texts from the payor
  member_id: null,
  group_id: null,
  // given by a provider
  client_id: null,
  // free text from the caller
  label: null,
}

/** Exceptions, where a name has another meaning than elsewhere. */
const KIND_AT: Partial<Record<OperationId, Readonly<Record<string, Kind | null>>>> = {
  // a session of the console, which belongs to the store itself
  'session.end': { session_id: null },
  // the ID for a new user
  'user.create': { client_user_id: null },
  'user.patch': { client_user_id: null },
  // texts that samples are compared with, whoever has such samples
  'source_order.replace': { app_id: null, device_id: null },
  'user.undo_delete': { user_id: 'deleted_user', client_user_id: 'deleted_client_user_id' },
}

/** A position in a request that contains an ID. */
export interface IdField {
  readonly id: OperationId
  readonly part: 'path' | 'query' | 'body'
  readonly name: string
}

const LOOKS_LIKE_ID = /(^|_)ids?$|_or_slug$/

/** Returns every ID position of an operation, from the OpenAPI document. */
export function idFields(id: OperationId): IdField[] {
  const { described } = describedAs(id)
  const parameters = (described.parameters ?? [])
    .filter(each => LOOKS_LIKE_ID.test(each.name) && each.in !== 'header')
    .map(each => ({ id, part: each.in as 'path' | 'query', name: each.name }))
  const body = described.requestBody?.content['application/json']?.schema
  const fields = (body ? namesIn(body) : []).map(name => ({ id, part: 'body' as const, name }))
  return [...parameters, ...fields]
}

function namesIn(schema: Schema, seen: ReadonlySet<Schema> = new Set()): string[] {
  if (seen.has(schema)) return []
  const within = new Set([...seen, schema])
  const inner = [
    ...(schema.$ref === undefined ? [] : [schemaAt(schema.$ref)]),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...(schema.items ? [schema.items] : []),
    ...Object.values(schema.properties ?? {}),
  ]
  const own = Object.keys(schema.properties ?? {}).filter(name => LOOKS_LIKE_ID.test(name))
  return [...new Set([...own, ...inner.flatMap(each => namesIn(each, within))])]
}

/** Returns the kind of ID in a position; null if shared by all teams, undefined if not yet described. */
export function kindAt({ id, name }: IdField): Kind | null | undefined {
  const special = KIND_AT[id]
  return special && name in special ? special[name] : KIND_OF_NAME[name]
}

/** Makes a call as a team and returns the parsed body. Throws if it is refused. */
export type TeamCall = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Record<string, unknown>>

export type Records = Readonly<Record<Kind, string>>

/** Creates one object of each kind for a team. `bytes` is an export file. */
export async function createRecords(
  call: TeamCall,
  team: { id: string; keyId: string },
  bytes: Buffer,
): Promise<Records> {
  const { user_id } = await call('POST', '/v2/user', { client_user_id: `one of ${team.id}` })
  const user = String(user_id)
  await call('POST', '/v2/user', { client_user_id: `gone of ${team.id}` })
  const gone = await call('GET', `/v2/user/resolve/gone%20of%20${team.id}`)
  await call('DELETE', `/v2/user/${gone['user_id']}`)
  const { link_token } = await call('POST', '/v2/link/token', { user_id: user })
  const token = { 'x-service-link-token': String(link_token) }
  await call('POST', '/v2/link/provider/password/whoop', { username: user, password: 'p' }, token)
  const range = 'start_date=2026-10-01'
  const workouts = await call('GET', `/v2/summary/workouts/${user}?${range}`)
  const nights = await call('GET', `/v2/summary/sleep/${user}?${range}`)
  const devices = (await call('GET', `/v2/user/${user}/device`)) as unknown as { id: string }[]
  const imported = await call('POST', `/svc/v1/users/${user}/imports`, bytes)
  const query = await call('POST', '/svc/v1/aggregate/continuous_query', {
    slug: `of-${team.id.slice(0, 8)}`,
    title: 'Steps',
    query: {
      select: [{ group_key: '*' }, { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { placeholder: true } }],
    },
  })
  const { endpoint_id } = await call('POST', '/svc/v1/webhooks', { url: 'https://example.com/hooks' })
  const events = (await call('GET', `/svc/v1/events?user_id=${user}&limit=1`)) as { data?: { event_id: string }[] }
  // an order with extra markers creates the team's own lab test
  const order = (await call('POST', '/v3/order', {
    ...orderBody(user),
    order_set: { add_on: { marker_ids: [(await aMarker(call)) as number] } },
  })) as { order?: { id: string; lab_test?: { id: string } } }
  return {
    user,
    client_user_id: `one of ${team.id}`,
    deleted_user: String(gone['user_id']),
    deleted_client_user_id: `gone of ${team.id}`,
    device: String((devices as { id: string }[])[0]?.id),
    workout: first(workouts, 'workouts'),
    night: first(nights, 'sleep'),
    other_night: String((nights['sleep'] as { id: string }[])[1]?.id),
    import: String(imported['import_id']),
    query: String(query['query_id']),
    order: String(order.order?.id),
    lab_test: order.order?.lab_test?.id ?? labTestId('iron-status'),
    team: team.id,
    key: team.keyId,
    endpoint: String(endpoint_id),
    event: String(events.data?.[0]?.event_id),
  }
}

const first = (body: Record<string, unknown>, key: string): string =>
  String((body[key] as { id: string }[] | undefined)?.[0]?.id)

async function aMarker(call: TeamCall): Promise<unknown> {
  const { markers } = await call('GET', '/v3/lab_tests/markers?size=1&a_la_carte_enabled=true&lab_slug=labcorp')
  return (markers as { id: number }[])[0]?.id
}

/** IDs that do not exist. */
export const UNKNOWN: Records = {
  user: '10000000-0000-4000-8000-000000000001',
  client_user_id: 'nobody',
  deleted_user: '10000000-0000-4000-8000-000000000002',
  deleted_client_user_id: 'nobody',
  device: '10000000-0000-4000-8000-000000000003',
  workout: '10000000-0000-4000-8000-000000000004',
  night: '10000000-0000-4000-8000-000000000005',
  other_night: '10000000-0000-4000-8000-00000000000e',
  import: '10000000-0000-4000-8000-000000000006',
  query: '10000000-0000-4000-8000-000000000007',
  order: '10000000-0000-4000-8000-000000000008',
  lab_test: '10000000-0000-4000-8000-000000000009',
  team: '10000000-0000-4000-8000-00000000000a',
  key: '10000000-0000-4000-8000-00000000000b',
  endpoint: '10000000-0000-4000-8000-00000000000c',
  event: '10000000-0000-4000-8000-00000000000d',
}

/** Operations with path parameters that are not IDs, and values for these parameters. */
export const PLAIN: Readonly<Record<string, string>> = {
  metric_group: 'sleep',
  provider: 'whoop',
  resource: 'steps',
  start_date: '2026-11-01',
  end_date: '2026-11-20',
  lab_id: '27',
  provider_id: '001',
  expires: '9999999999',
  signature: 'x',
  function: 'sum',
  column: 'steps',
  period: '2026-11-20',
}

/** Returns the value of a parameter that is not an ID; for an expanded parameter, its first value. */
export function plainValue(id: OperationId, name: string): string {
  const { expand }: Operation = operations[id]
  if (expand?.param === name) return expand.values[0] as string
  return PLAIN[name] ?? 'x'
}
