/** `svc mcp` as an assistant uses it: every tool, errors, sizes, resources and prompts, embedded and over HTTP. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { QUERY_EXAMPLE } from '../../src/cli/mcp/tool-table.ts'
import { atEndOfFile } from '../kit/end-of-file.ts'
import { type McpSession, openMcp, type ToolResult } from '../kit/mcp.ts'
import { Sandbox } from '../kit/sandbox.ts'
import { type Serving, serve } from '../kit/serve.ts'
import { until } from '../kit/until.ts'

const sandbox = new Sandbox()
let reader: McpSession
let writer: McpSession
let serving: Serving
let userId: string

const PERSON = {
  first_name: 'Ada',
  last_name: 'Sample',
  email: 'ada@example.test',
  phone_number: '+1 415 555 0100',
  gender: 'female',
  dob: '1990-02-28',
  address: { first_line: '1 Any Street', city: 'Anytown', state: 'CA', zip: '94103', country: 'US' },
}
const ROWS = Array.from({ length: 2_000 }, (_, n) => {
  const at = new Date(Date.UTC(2026, 9, 1) + n * 60_000).toISOString()
  return JSON.stringify({ resource: 'heartrate', timestamp: at, value: 60 + (n % 40) })
})

beforeAll(async () => {
  serving = await serve(sandbox, ['--rate-limit', '0'])
  writer = await openMcp(sandbox, ['--allow-writes'])
  reader = await openMcp(sandbox)
  const created = await writer.call('users_change', { action: 'create', client_user_id: 'ada' })
  userId = created.result.user_id
  const linked = await writer.call('connections_change', { action: 'connect_demo', user_id: 'ada', provider: 'oura' })
  expect(linked.result).toMatchObject({ success: true })
  const pushed = await fetch(`${serving.url}/svc/v1/users/${userId}/samples`, {
    method: 'POST',
    headers: { 'x-service-api-key': serving.api_key, 'content-type': 'application/x-ndjson' },
    body: ROWS.join('\n'),
  })
  expect(pushed.status, await pushed.text()).toBe(200)
})

/** A server that accepts requests and never responds. */
async function silentServer(): Promise<{ readonly url: string; open(): number }> {
  let open = 0
  const server = createServer((_, response) => {
    open++
    response.on('close', () => open--)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEndOfFile(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open: () => open }
}

async function good(
  session: McpSession,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<ToolResult> {
  const result = await session.call(name, args)
  expect(result.error, `${name} ${JSON.stringify(args)}`).toBeUndefined()
  return result
}

async function refusal(session: McpSession, name: string, args: Readonly<Record<string, unknown>> = {}) {
  const { isError, error } = await session.call(name, args)
  expect(isError).toBe(true)
  expect(Object.keys(error ?? {}).sort()).toEqual(['category', 'code', 'message', 'status', 'suggestions'])
  expect(JSON.stringify(error)).not.toMatch(/\\n\s+at |node_modules|\.ts:/)
  return error
}

describe('a session', () => {
  test('offers only tools that read, and with --allow-writes all tools, at most 30', async () => {
    const { tools: reading } = await reader.client.listTools()
    const { tools: all } = await writer.client.listTools()
    expect(reading.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    expect(all.length).toBeLessThanOrEqual(30)
    expect(all.length).toBeGreaterThan(reading.length)
    const hints = Object.fromEntries(all.map(({ name, annotations }) => [name, annotations]))
    expect(hints['users_get']).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true })
    expect(hints['users_delete']).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(reader.client.getServerVersion()).toMatchObject({ name: 'svc' })
    expect(reader.client.getInstructions()).toContain('page.next')
  })

  test('can call every tool that reads', async () => {
    const week = { start_date: '2026-10-01', end_date: '2026-10-02' }
    const users = await good(reader, 'users_list')
    expect(users.result.users).toEqual([expect.objectContaining({ client_user_id: 'ada' })])
    expect((await good(reader, 'users_list', { action: 'search', query_id: 'ad' })).result).toHaveLength(1)
    expect((await good(reader, 'users_get', { user_id: 'ada' })).result.user_id).toBe(userId)
    expect((await good(reader, 'users_get', { user_id: userId })).result.client_user_id).toBe('ada')
    const devices = await good(reader, 'users_profile', { action: 'devices', user_id: 'ada' })
    const device_id = devices.result[0].id
    expect((await good(reader, 'users_profile', { action: 'device', user_id: 'ada', device_id })).result.id).toBe(
      device_id,
    )
    await good(writer, 'users_change', { action: 'set_info', user_id: 'ada', ...PERSON })
    expect((await good(reader, 'users_profile', { user_id: 'ada' })).result.first_name).toBe('Ada')
    expect((await good(reader, 'providers_list')).result.length).toBeGreaterThan(10)
    expect((await good(reader, 'data_sources', { user_id: 'ada' })).result.providers[0].slug).toBe('oura')
    for (const action of ['resources', 'historical_pulls', 'imports']) await good(reader, 'data_sources', { action })
    const samples = await good(reader, 'timeseries_get', {
      user_id: 'ada',
      resource: 'heartrate',
      ...week,
      end_date: week.start_date,
    })
    expect(Object.values(samples.result.groups).length).toBe(1)
    const nights = await good(reader, 'summaries_get', { user_id: 'ada', resource: 'sleep', start_date: '2020-01-01' })
    const [night] = nights.result.sleep
    expect((await good(reader, 'streams_get', { action: 'sleep', sleep_id: night.id })).result.hypnogram).toBeDefined()
    expect((await good(reader, 'aggregate_columns')).result.tables.length).toBeGreaterThan(5)
    expect((await good(reader, 'aggregate_columns', { table: 'sleep' })).result.columns.length).toBeGreaterThan(20)
    const anchor = night.calendar_date
    const query = { ...QUERY_EXAMPLE, timeframe: { ...QUERY_EXAMPLE.timeframe, anchor } }
    const means = await good(reader, 'aggregate_query', { user_id: 'ada', ...query })
    expect(means.result.results[0].table.mean).toContain(night.total)
    const explained = await good(reader, 'aggregate_explain', { user_id: 'ada', query })
    expect(explained.result.results).toHaveLength(1)
    expect((await good(reader, 'labs_get')).result.length).toBeGreaterThan(0)
    expect((await good(reader, 'labs_get', { action: 'accounts' })).result.data).toBeDefined()
    const tests = await good(reader, 'lab_tests_get', { lab_test_limit: 5 })
    const lab_test_id = tests.result.data[0].id
    expect((await good(reader, 'lab_tests_get', { action: 'get', lab_test_id })).result.id).toBe(lab_test_id)
    const markers = await good(reader, 'markers_list', { size: 3 })
    const { lab_id, provider_id } = markers.result.markers[0]
    await good(reader, 'markers_list', { action: 'by_code', lab_id, provider_id })
    await good(reader, 'markers_list', { action: 'of_test', lab_test_id })
    await good(reader, 'markers_list', { action: 'of_order_set', lab_test_ids: [lab_test_id] })
    expect((await good(reader, 'orders_list', { user_id: 'ada' })).result.orders).toEqual([])
    const events = await good(reader, 'events_list', { user_id: 'ada', limit: 3 })
    const { event_id, event_type } = events.result.data[0]
    expect((await good(reader, 'events_get', { event_id })).result.event_type).toBe(event_type)
    expect(
      (await good(reader, 'events_get', { action: 'types', type: 'daily.data.*' })).result.data.length,
    ).toBeGreaterThan(5)
    expect((await good(reader, 'events_get', { action: 'type', type: event_type })).result.schema).toBeDefined()
    expect((await good(reader, 'webhooks_get')).result.endpoints).toEqual([])
    expect((await good(reader, 'team_get')).result.team_id).toBe(serving.team_id)
    expect((await good(reader, 'team_get', { action: 'metrics' })).result.number_of_users).toBe(1)
    for (const action of ['source_priorities', 'deprecations']) await good(reader, 'team_get', { action })
    expect((await good(reader, 'service_get')).result.now).toMatch(/^20/)
    expect((await good(reader, 'service_get', { action: 'status' })).result.users).toBe(1)
    const audit = await good(reader, 'service_get', { action: 'audit', operation: 'user.create' })
    expect(audit.result.entries).toHaveLength(1)
  })

  test('can call every tool that changes something', async () => {
    const user = (await good(writer, 'users_change', { action: 'create', client_user_id: 'bob' })).result.user_id
    await good(writer, 'users_change', { action: 'update', user_id: 'bob', fallback_time_zone: 'Europe/Berlin' })
    const cleared = await good(writer, 'users_change', { action: 'update', user_id: 'bob', fallback_time_zone: null })
    expect(cleared.result).toBeNull()
    expect((await good(reader, 'users_get', { user_id: 'bob' })).result.fallback_time_zone).toBeNull()
    await good(writer, 'connections_change', { action: 'connect_demo', user_id: 'bob', provider: 'fitbit' })
    await good(writer, 'users_change', { action: 'refresh', user_id: 'bob', timeout: 5 })
    await good(writer, 'test_data', {
      action: 'fail_connection',
      user_id: 'bob',
      provider: 'fitbit',
      error_type: 'unknown',
    })
    await good(writer, 'connections_change', { action: 'disconnect', user_id: 'bob', provider: 'fitbit' })
    await good(writer, 'test_data', { action: 'trigger_event', user_id: 'bob', type: 'provider.connection.created' })
    const created = await good(writer, 'settings_change', {
      action: 'create_continuous_query',
      slug: 'sleep-a-day',
      title: 'Sleep a day',
      query: QUERY_EXAMPLE.queries[0],
    })
    expect(created.result.slug).toBe('sleep-a-day')
    const saved = { query_id_or_slug: 'sleep-a-day' }
    expect((await good(reader, 'continuous_queries_get')).result.continuous_queries).toHaveLength(1)
    await good(reader, 'continuous_queries_get', { action: 'get', ...saved })
    await good(reader, 'continuous_queries_get', { action: 'result', user_id: 'ada', ...saved })
    await good(reader, 'continuous_queries_get', { action: 'history', user_id: 'ada', ...saved })
    const renamed = await good(writer, 'settings_change', {
      action: 'rename_continuous_query',
      title: 'Nights',
      ...saved,
    })
    expect(renamed.result.title).toBe('Nights')
    await good(writer, 'settings_change', { action: 'delete_continuous_query', ...saved })
    const { result: priorities } = await good(reader, 'team_get', { action: 'source_priorities', data_type: 'sleep' })
    await good(writer, 'settings_change', { action: 'set_source_priorities', priorities })
    const deleted = await good(writer, 'data_delete', {
      action: 'samples',
      user_id: 'ada',
      resource: 'heartrate',
      start_date: '2026-10-02T08:00:00Z',
      end_date: '2026-10-02T09:00:00Z',
    })
    expect(deleted.result.deleted).toBeGreaterThan(0)
    await good(writer, 'users_delete', { user_id: 'bob' })
    expect((await refusal(reader, 'users_get', { user_id: 'bob' }))?.code).toBe('user_not_found')
    await good(writer, 'users_change', { action: 'undo_delete', user_id: user })
    expect((await good(reader, 'users_get', { user_id: 'bob' })).result.user_id).toBe(user)
  })

  test('places an order, simulates it and reads the results', async () => {
    const { result: tests } = await good(reader, 'lab_tests_get', { collection_method: 'testkit', lab_test_limit: 1 })
    const { first_name, last_name, dob, gender, phone_number, email, address } = PERSON
    const placed = await good(writer, 'orders_change', {
      action: 'create',
      user_id: 'ada',
      order_set: { lab_test_ids: [tests.data[0].id] },
      patient_details: { first_name, last_name, dob, gender, phone_number, email },
      patient_address: { ...address, receiver_name: 'Ada Sample', phone_number },
    })
    const order_id = placed.result.order.id
    await good(writer, 'orders_change', { action: 'simulate', order_id, final_status: 'completed.testkit.completed' })
    expect((await good(reader, 'orders_get', { order_id })).result.id).toBe(order_id)
    expect((await good(reader, 'orders_get', { action: 'results', order_id })).result.results.length).toBeGreaterThan(0)
    await good(reader, 'orders_get', { action: 'result_metadata', order_id })
    expect((await refusal(writer, 'orders_change', { action: 'cancel', order_id }))?.code).toBe('bad_request')
  })

  test('changes and tests an endpoint, and resends an event', async () => {
    const { endpoint_id } = await sandbox.json<{ endpoint_id: string }>([
      'webhook',
      'create',
      'http://127.0.0.1:9/hooks',
    ])
    expect((await good(reader, 'webhooks_get', { action: 'get', endpoint_id })).result.secret).toBeUndefined()
    await good(writer, 'webhooks_change', { action: 'update', endpoint_id, description: 'nothing listens' })
    await good(writer, 'webhooks_change', { action: 'test', endpoint_id })
    const events = await good(reader, 'events_list', { user_id: 'ada', limit: 1 })
    await good(writer, 'webhooks_change', { action: 'resend_event', event_id: events.result.data[0].event_id })
    await good(writer, 'webhooks_change', { action: 'resend_period', since: '2026-01-01' })
    for (const action of ['disable', 'enable', 'delete']) await good(writer, 'webhooks_change', { action, endpoint_id })
    expect((await good(reader, 'webhooks_get')).result.endpoints).toEqual([])
  })
})

describe('a refusal', () => {
  test('contains the problem, a remedy and the service’s error code', async () => {
    expect(await refusal(reader, 'users_get', { user_id: 'nobody' })).toMatchObject({
      code: 'user_not_found',
      status: 404,
      suggestions: [expect.stringContaining('users_list')],
    })
    expect(await refusal(reader, 'users_get')).toMatchObject({
      code: 'invalid_request',
      message: 'user_id: is required',
    })
    expect((await refusal(reader, 'users_get', { user: 'ada' }))?.message).toContain('Did you mean "user_id"?')
    expect((await refusal(reader, 'users_list', { action: 'remove' }))?.message).toBe(
      'action: must be one of list, search',
    )
    expect(
      (await refusal(reader, 'summaries_get', { user_id: 'ada', resource: 'sleep', start_date: 'May' }))?.message,
    ).toMatch(/start_date: .*YYYY-MM-DD/)
    const column = { ...QUERY_EXAMPLE, queries: [{ select: [{ func: 'mean', arg: { sleep: 'scroe' } }] }] }
    expect(await refusal(reader, 'aggregate_query', { user_id: 'ada', ...column })).toMatchObject({
      code: 'unknown_column',
    })
    expect((await refusal(reader, 'aggregate_columns', { table: 'slep' }))?.message).toContain('Did you mean "sleep"')
    expect(await refusal(reader, 'user_list')).toMatchObject({
      code: 'not_found',
      message: 'There is no such tool. Did you mean "users_list" or "users_get"?',
    })
  })

  test('is the result of every tool that changes something, if writes are not allowed', async () => {
    const { tools } = await writer.client.listTools()
    const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false)
    expect(changing.length).toBeGreaterThan(5)
    for (const { name } of changing) {
      expect(await refusal(reader, name, { action: 'delete', user_id: 'ada' })).toMatchObject({
        code: 'writes_disabled',
        suggestions: [expect.stringContaining('--allow-writes')],
      })
    }
    expect((await good(reader, 'users_get', { user_id: 'ada' })).result.user_id).toBe(userId)
  })

  test('follows an argument of the wrong kind, without repeating it', async () => {
    for (const args of [{ user_id: { a: 'private' } }, { user_id: ['private'] }, { user_id: 'ada', private: 1 }]) {
      const error = await refusal(reader, 'users_get', args)
      expect(JSON.stringify(error)).not.toMatch(/"private"/)
    }
    expect((await refusal(reader, 'users_list', { skip_records: -1 }))?.message).toContain('skip_records')
    expect((await refusal(writer, 'users_delete', { user_id: 'ada', skip_records: 1 }))?.message).toContain(
      'skip_records',
    )
  })
})

describe('a result', () => {
  const heartrate = { user_id: 'ada', resource: 'heartrate', start_date: '2026-10-01', end_date: '2026-10-01' }

  test('stays within --max-result-bytes, and its parts add up to the whole', async () => {
    const wide = await openMcp(sandbox, ['--max-result-bytes', '1000000'])
    const narrow = await openMcp(sandbox, ['--max-result-bytes', '5000'])
    const samples = (results: readonly ToolResult[]) =>
      results.flatMap(({ result }) =>
        (Object.values(result.groups) as { data: object[] }[][]).flat().flatMap(({ data }) => data),
      )
    const whole = await wide.all('timeseries_get', heartrate)
    const parts = await narrow.all('timeseries_get', heartrate)
    expect(samples(whole)).toHaveLength(1_440)
    expect(samples(parts)).toEqual(samples(whole))
    expect(parts.length).toBeGreaterThan(20)
    for (const { bytes } of parts) expect(bytes).toBeLessThanOrEqual(5_000)
    const usual = await good(reader, 'timeseries_get', heartrate)
    expect(usual.bytes).toBeLessThanOrEqual(40_000)
    expect(usual.page).toMatchObject({ left_records: expect.any(Number), next: { skip_records: usual.page?.records } })
    const middle = await openMcp(sandbox, ['--max-result-bytes', '20000'])
    const markers = await middle.all('markers_list', { size: 40 })
    const ids = markers.flatMap(({ result }) => result.markers.map(({ id }: { id: number }) => id))
    expect(ids).toHaveLength(markers[0]?.result.total)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { bytes } of markers) expect(bytes).toBeLessThanOrEqual(20_000)
  })

  test('refers to the service’s next page', async () => {
    const first = await good(reader, 'events_list', { limit: 2 })
    expect(first.page?.next).toEqual({ next_cursor: first.result.next_cursor })
    const second = await good(reader, 'events_list', { limit: 2, ...first.page?.next })
    expect(second.result.data[0].event_id).not.toBe(first.result.data[0].event_id)
    const users = await reader.all('users_list', { limit: 1 })
    expect(users.map(({ result }) => result.users[0].client_user_id).sort()).toEqual(['ada', 'bob'])
  })

  test('that cannot be truncated is refused', async () => {
    const narrow = await openMcp(sandbox, ['--max-result-bytes', '2000'])
    const error = await refusal(narrow, 'events_get', { action: 'type', type: 'daily.data.sleep.created' })
    expect(error).toMatchObject({
      code: 'answer_too_large',
      suggestions: expect.arrayContaining([expect.stringContaining('--max-result-bytes')]),
    })
  })
})

describe('a server’s profile', () => {
  const http = (key: string) => ({ SVC_BASE_URL: serving.url, SVC_API_KEY: key })

  test('gives the same results as the embedded engine, with the rights of its key', async () => {
    const remote = await openMcp(sandbox, [], http(serving.api_key))
    const query = { user_id: 'ada', ...QUERY_EXAMPLE }
    for (const [name, args] of [
      ['users_get', { user_id: 'ada' }],
      ['aggregate_query', query],
      ['timeseries_get', { user_id: 'ada', resource: 'heartrate', start_date: '2026-10-01', end_date: '2026-10-01' }],
      ['users_get', { user_id: 'nobody' }],
    ] as const) {
      expect(await remote.call(name, args), name).toEqual(await reader.call(name, args))
    }
    const { team_id } = await sandbox.json<{ team_id: string }>(['engine', 'team', 'create', 'Other'])
    const { api_key } = await sandbox.json<{ api_key: string }>(['engine', 'key', 'create', team_id])
    const other = await openMcp(sandbox, ['--allow-writes'], http(api_key))
    expect((await good(other, 'users_list')).result.users).toEqual([])
    expect((await refusal(other, 'users_get', { user_id: userId }))?.code).toBe('user_not_found')
    expect(await refusal(other, 'service_get', { action: 'audit' })).toMatchObject({
      code: 'operator_only',
      status: 403,
    })
    const wrong = await openMcp(sandbox, [], http('sk_us_wrong-key-of-nobody'))
    const error = await refusal(wrong, 'users_list')
    expect(error?.code).toBe('invalid_api_key')
    expect(JSON.stringify(error)).not.toContain('wrong-key')
    const nowhere = await openMcp(sandbox, [], { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'sk_us_any' })
    expect((await refusal(nowhere, 'users_change'))?.code).toBe('writes_disabled')
    expect((await refusal(nowhere, 'team_get'))?.code).toBe('network')
  })
})

describe('resources and prompts', () => {
  test('contain the guides and the query language, and nothing else', async () => {
    const { resources } = await reader.client.listResources()
    const { resourceTemplates } = await reader.client.listResourceTemplates()
    expect(resourceTemplates[0]?.uriTemplate).toBe('svc://query/columns/{table}')
    const uris = resources.map(({ uri }) => uri)
    expect(uris).toEqual(
      expect.arrayContaining(['svc://docs/aggregate.md', 'svc://docs/interface/aggregates.md', 'svc://docs/mcp.md']),
    )
    const text = async (uri: string): Promise<string> => {
      const [content] = (await reader.client.readResource({ uri })).contents
      return content && 'text' in content ? content.text : ''
    }
    for (const uri of uris) expect((await text(uri)).length, uri).toBeGreaterThan(100)
    expect(await text('svc://docs/aggregate.md')).toMatch(/^# Aggregate queries/)
    expect(JSON.parse(await text('svc://query/schema'))).toMatchObject({ required: ['timeframe', 'queries'] })
    expect(await text('svc://query/columns/glucose')).toContain('glucose.value')
    for (const uri of ['svc://docs/../package.json', 'svc://docs/nothing', 'file:///etc/passwd', 'svc://docs/']) {
      await expect(reader.client.readResource({ uri })).rejects.toMatchObject({ code: -32002 })
    }
    await expect(reader.client.readResource({ uri: 'svc://query/columns/slep' })).rejects.toThrow(
      /Did you mean "sleep"/,
    )
  })

  test('ask common questions with names of existing tools', async () => {
    const { prompts } = await reader.client.listPrompts()
    const { tools } = await reader.client.listTools()
    expect(prompts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['sleep_of_user', 'failed_webhooks', 'compare_sources', 'lab_results']),
    )
    for (const { name, arguments: args = [] } of prompts) {
      const given = Object.fromEntries(args.map(arg => [arg.name, `value-of-${arg.name}`]))
      const { messages } = await reader.client.getPrompt({ name, arguments: given })
      const text = messages[0]?.content.type === 'text' ? messages[0].content.text : ''
      for (const arg of args) expect(text, name).toContain(`value-of-${arg.name}`)
      const named = text.match(/\b[a-z]+(?:_[a-z]+)*_(?:get|list|query|explain|columns|sources)\b/g) ?? []
      expect(named.length, name).toBeGreaterThan(0)
      expect(named.filter(each => !tools.some(tool => tool.name === each))).toEqual([])
    }
    await expect(reader.client.getPrompt({ name: 'sleep_of_user', arguments: {} })).rejects.toThrow(/user: is required/)
    await expect(reader.client.getPrompt({ name: 'none', arguments: {} })).rejects.toThrow(/There is no such prompt/)
  })

  test('complete the arguments of prompts', async () => {
    const complete = async (prompt: string, name: string, value: string) => {
      const ref = { type: 'ref/prompt' as const, name: prompt }
      return (await reader.client.complete({ ref, argument: { name, value } })).completion
    }
    expect(reader.client.getServerCapabilities()?.completions).toEqual({})
    expect((await complete('sleep_of_user', 'user', 'ad')).values).toContain('ada')
    expect((await complete('compare_sources', 'resource', 'slee')).values).toContain('sleep')
    expect((await complete('missing_data', 'resource', 'heartr')).values).toContain('heartrate')
    expect((await complete('compare_sources', 'first', 'our')).values).toEqual(['oura'])
    expect((await complete('lab_results', 'order_id', '')).values).not.toEqual([])
    expect(await complete('compare_sources', 'resource', 'no such')).toEqual({ values: [], total: 0, hasMore: false })
    for (const [prompt, name] of [
      ['sleep_of_user', 'start'],
      ['sleep_of_user', 'none'],
      ['none', 'user'],
    ] as const) {
      expect((await complete(prompt, name, '')).values, `${prompt} ${name}`).toEqual([])
    }
    // the session continues
    expect((await reader.call('users_list')).isError).toBe(false)
  })
})

describe('the process', () => {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  const calling = (id: number, name: string, args: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  })
  const lines = (...messages: readonly object[]) => messages.map(message => `${JSON.stringify(message)}\n`).join('')

  test('responds to all messages before the end of stdin, ends with 0, and logs neither arguments nor results', async () => {
    const input = lines(
      hello,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      calling(2, 'summaries_get', { user_id: 'ada', resource: 'sleep', start_date: '2020-01-01' }),
      calling(3, 'users_get', { user_id: 'private-person' }),
      calling(4, 'private_tool', {}),
    )
    const run = await sandbox.run(['mcp'], { input: `${input}this is private\n` })
    expect(run.status).toBe(0)
    const responses = run.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { id: number; jsonrpc: string })
    expect(responses.map(({ id, jsonrpc }) => `${id} ${jsonrpc}`).sort()).toEqual(['1 2.0', '2 2.0', '3 2.0', '4 2.0'])
    const log = run.stderr
      .replaceAll(/\d+ ms/g, 'N ms')
      .trimEnd()
      .split('\n')
      .sort()
    expect(log).toEqual([
      'A message was ignored because it is not valid JSON-RPC.',
      'summaries_get ok N ms',
      'unknown not_found N ms',
      'users_get user_not_found N ms',
    ])
    const quiet = await sandbox.run(['mcp', '--quiet'], { input })
    expect(quiet).toMatchObject({ status: 0, stderr: '' })
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('ends with 0 at %s', async signal => {
    const { child, ended, stdout } = sandbox.start(['mcp'])
    child.stdin.write(lines(hello))
    await until(() => stdout().includes('serverInfo'))
    child.kill(signal)
    expect(await ended).toMatchObject({ status: 0, stderr: '' })
  })

  test('stops a cancelled call without a response, and continues', async () => {
    const silent = await silentServer()
    const session = await openMcp(sandbox, [], { SVC_BASE_URL: silent.url, SVC_API_KEY: 'sk_us_any' })
    const controller = new AbortController()
    const call = session.call('team_get', {}, controller.signal)
    await until(() => silent.open() === 1)
    controller.abort('no longer needed')
    await expect(call).rejects.toThrow(/no longer needed/)
    await until(() => silent.open() === 0)
    await until(() => /^team_get cancelled \d+ ms$/m.test(session.stderr()))
    await good(session, 'aggregate_columns')
    await session.close()
  })

  test('cancels a running call at Ctrl-C', async () => {
    const silent = await silentServer()
    const { child, ended } = sandbox.start(['mcp'], { env: { SVC_BASE_URL: silent.url, SVC_API_KEY: 'sk_us_any' } })
    child.stdin.write(lines(hello, calling(2, 'team_get', {})))
    await until(() => silent.open() === 1)
    child.kill('SIGINT')
    const run = await ended
    expect(run.status).toBe(0)
    expect(run.stderr).toMatch(/^team_get cancelled \d+ ms\n$/)
    await until(() => silent.open() === 0)
  })

  test('refuses a message that is too long, and options that would change stdout', async () => {
    const long = await sandbox.run(['mcp', '--json'], { input: `${' '.repeat(17 * 1024 * 1024)}` })
    expect(long).toMatchObject({ status: 2, stdout: '' })
    expect(JSON.parse(long.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'usage' } })
    const output = await sandbox.run(['mcp', '--output', 'csv'])
    expect(output).toMatchObject({ status: 2, stdout: '' })
    expect((await sandbox.run(['mcp', '--max-result-bytes', '10'])).status).toBe(2)
  })

  test('shows in its help how to add it to a client', async () => {
    const { stdout } = await sandbox.run(['mcp', '--help'])
    const snippet = /^ *(\{ "mcpServers".*\})$/m.exec(stdout)?.[1] ?? ''
    expect(JSON.parse(snippet)).toEqual({ mcpServers: { svc: { command: 'svc', args: ['mcp'] } } })
    expect(stdout).toContain('claude mcp add svc -- svc mcp')
  })
})
