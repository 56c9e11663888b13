/** Fills a server with every kind of data that the console shows, with texts that the test chooses. */
import { labTests } from '../../../../src/catalogue/labs/lab-tests.ts'
import type { TestServer } from '../../../kit/server.ts'
import { openSink } from '../../../kit/sink.ts'
import { until } from '../../../kit/until.ts'

/** Returns a text of at most this many characters; each call may return a different one. */
export type Texts = (mostCharacters: number) => string

export interface Filled {
  readonly userId: string
  /** Has data of the last days. */
  readonly seededId: string
  readonly clientUserId: string
  readonly eventId: string
  readonly endpointId: string
  readonly orderId: string
  /** A key without operator rights. */
  readonly plainKey: string
}

/** Calls the API with the server's own key. Fails unless the response is 2xx. */
export async function api<T = unknown>(server: TestServer, method: string, path: string, body?: unknown): Promise<T> {
  const { status, json, text } = await server.ask(method, path, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
  return json as T
}

interface WithId {
  readonly user_id: string
  readonly endpoint_id: string
  readonly event_id: string
  readonly api_key: string
  readonly order: { readonly id: string }
}

export async function fill(server: TestServer, text: Texts): Promise<Filled> {
  const call = <T = WithId>(method: string, path: string, body?: unknown): Promise<T> => api(server, method, path, body)
  const { people } = await call<{ people: WithId[] }>('POST', '/svc/v1/seed', { people: 2, days: 10 })
  const clientUserId = text(512)
  const { user_id: userId } = await call('POST', '/v2/user', { client_user_id: clientUserId })
  await call('PATCH', `/v2/user/${userId}/info`, person(text))
  const endpointId = await endpoints(call, text)
  await connections(call, userId, text)
  const eventId = await events(call, userId, text)
  const orderId = await order(call, userId, text)
  await intake(call, userId, text)
  await engine(call, text)
  const { api_key: plainKey } = await call('POST', `/svc/v1/teams/${await teamId(call)}/keys`, { label: text(100) })
  await until(
    async () => (await call<{ attempts: unknown[] }>('GET', `/svc/v1/events/${eventId}/attempts`)).attempts[0],
  )
  return { userId, seededId: people[0]?.user_id ?? '', clientUserId, eventId, endpointId, orderId, plainKey }
}

type Call = <T = WithId>(method: string, path: string, body?: unknown) => Promise<T>

async function teamId(call: Call): Promise<string> {
  const { teams } = await call<{ teams: { team_id: string }[] }>('GET', '/svc/v1/teams')
  return teams[0]?.team_id ?? ''
}

const person = (text: Texts) => ({
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'ada@example.test',
  phone_number: '+1 555 010 0199',
  gender: text(64),
  dob: '1985-12-10',
  address: {
    first_line: text(200),
    second_line: text(200),
    city: text(100),
    state: text(64),
    zip: text(20),
    country: text(64),
    access_notes: text(1000),
  },
})

/** One that responds with failures with a body and headers, and one that is disabled with a waiting delivery. */
async function endpoints(call: Call, text: Texts): Promise<string> {
  const sink = await openSink((_received, response) => {
    response.setHeader('x-told', encodeURIComponent(text(300)))
    response.writeHead(500).end(text(2_000))
    return undefined
  })
  const add = (path: string, event_types: string[]) =>
    call('POST', '/svc/v1/webhooks', { url: `${sink.url}/${path}`, description: text(200), event_types })
  const { endpoint_id } = await add(`hook?q=${encodeURIComponent(text(200))}`, ['*'])
  const other = await add(encodeURIComponent(text(300)), ['daily.data.*'])
  await call('POST', `/svc/v1/webhooks/${other.endpoint_id}/test`)
  await call('POST', `/svc/v1/webhooks/${other.endpoint_id}/disable`)
  return endpoint_id
}

async function events(call: Call, userId: string, text: Texts): Promise<string> {
  const trigger = (type: string, set?: object) =>
    call<{ events: WithId[] }>('POST', '/svc/v1/events/trigger', { type, user_id: userId, set })
  await trigger('provider.device.created', { 'data.device_manufacturer': text(200), 'data.device_model': text(200) })
  await trigger('daily.data.heartrate.created')
  await trigger('daily.data.workouts.created')
  await trigger('daily.data.sleep.created')
  const { events: written } = await trigger('daily.data.note.created', { 'data.value': text(500) })
  return written.at(-1)?.event_id ?? ''
}

async function connections(call: Call, userId: string, text: Texts): Promise<void> {
  for (const provider of ['oura', 'fitbit']) await call('POST', '/v2/link/connect/demo', { user_id: userId, provider })
  await call('POST', `/svc/v1/users/${userId}/providers/fitbit/fail`, {
    error_type: 'token_refresh_failed',
    error_message: text(500),
  })
  await call('PUT', '/svc/v1/providers/whoop_v2/setup', {
    client_id: text(500),
    client_secret: text(100),
    redirect_url: `https://app.example.test/${encodeURIComponent(text(300))}`,
  })
}

async function order(call: Call, userId: string, text: Texts): Promise<string> {
  const test = labTests().find(each => each.slug === 'essential-health')
  const address = { first_line: text(200), city: text(100), state: 'IL', zip: '62701', country: 'US' }
  const body = {
    user_id: userId,
    patient_details: {
      first_name: 'Ada',
      last_name: 'Byron',
      dob: '1985-12-10',
      gender: 'female',
      phone_number: '+1 (555) 010-0199',
      email: 'ada@example.test',
      race: text(100),
    },
    patient_address: { ...address, receiver_name: text(100), second_line: text(200), access_notes: text(1000) },
    order_set: { lab_test_ids: [test?.id] },
  }
  const done = await call('POST', '/v3/order', body)
  await call('POST', `/v3/order/${done.order.id}/test`, {})
  await call('POST', '/v3/order', body)
  return done.order.id
}

/** An imported file with skipped lines, and pushed samples. */
async function intake(call: Call, userId: string, text: Texts): Promise<void> {
  const at = new Date(Date.now() - 3_600_000).toISOString()
  const heart = { resource: 'heartrate', timestamp: at, value: 61, app_id: text(256), sport: text(256) }
  const note = { resource: 'note', timestamp: at, value: text(500), tags: [text(100)] }
  await call(
    'POST',
    `/svc/v1/users/${userId}/imports`,
    `${[heart, note, { resource: text(50) }].map(each => JSON.stringify(each)).join('\n')}\n`,
  )
  await call('POST', `/svc/v1/users/${userId}/samples`, {
    samples: [{ resource: 'steps', start: at, end: at, value: 12, source_type: 'watch', app_id: text(256) }],
  })
}

async function engine(call: Call, text: Texts): Promise<void> {
  await call('PATCH', `/svc/v1/teams/${await teamId(call)}`, { name: text(100) })
  await call('POST', '/svc/v1/snapshots', { name: 'before-the-test' })
  await call('POST', '/svc/v1/faults', { effect: 'status', status: 503, path: `/nowhere/${text(300)}` })
  await call('POST', '/svc/v1/aggregate/continuous_query', {
    slug: 'steps-a-day',
    title: text(50),
    query: {
      timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'week', value: 1 } },
      select: [{ group_key: '*' }, { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
    },
  })
}
