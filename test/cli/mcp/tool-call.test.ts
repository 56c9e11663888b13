/** One tool call: its arguments on the way to the service, and its result. */
import { expect, test } from 'vitest'
import { buildTools } from '../../../src/cli/mcp/server.ts'
import { type CallRecord, callTool } from '../../../src/cli/mcp/tool-call.ts'
import type { ServiceClient } from '../../../src/client/client.ts'
import { ServiceError } from '../../../src/core/errors.ts'

interface Seen {
  readonly id: string
  readonly input: unknown
}

/** Calls a tool whose service returns or throws the result of `reply`. */
async function calling(
  name: string,
  given: Readonly<Record<string, unknown>>,
  reply: () => unknown = () => ({}),
  signal = new AbortController().signal,
) {
  const seen: Seen[] = []
  const records: CallRecord[] = []
  const client = {
    call: async (id: string, input: unknown) => {
      seen.push({ id, input })
      return { kind: 'json', status: 200, headers: {}, body: reply() }
    },
    close: async () => {},
  } as unknown as ServiceClient // responses of any operation
  const limits = { maxBytes: 40_000, allowsWrites: true }
  const result = await callTool(buildTools(client), { name, given, signal }, limits, record => records.push(record))
  return { seen, records, document: JSON.parse(result.content[0]?.text ?? ''), isError: result.isError === true }
}

const USER = '00000000-0000-4000-8000-000000000001'

test('passes each argument where the operation reads it', async () => {
  const { seen } = await calling('orders_change', {
    action: 'simulate',
    order_id: 'o',
    final_status: 'completed.testkit.completed',
    delay: null,
    interpretation: 'normal',
  })
  expect(seen).toEqual([
    {
      id: 'order.simulate',
      input: {
        params: { order_id: 'o' },
        query: { final_status: 'completed.testkit.completed' },
        body: { interpretation: 'normal' },
      },
    },
  ])
})

test('keeps null in a body, where it clears a field, and sends a list as the whole body', async () => {
  const patch = await calling('users_change', { action: 'update', user_id: USER, fallback_time_zone: null })
  expect(patch.seen).toEqual([
    { id: 'user.patch', input: { params: { user_id: USER }, query: {}, body: { fallback_time_zone: null } } },
  ])
  const list = await calling('settings_change', { action: 'set_source_priorities', priorities: [] })
  expect(list.seen[0]?.input).toMatchObject({ body: [] })
})

test('resolves a client_user_id, except for a deleted user', async () => {
  const found = await calling('users_delete', { user_id: 'ada' }, () => ({ user_id: USER }))
  expect(found.seen.map(({ id }) => id)).toEqual(['user.resolve', 'user.delete'])
  const deleted = await calling('users_change', { action: 'undo_delete', client_user_id: 'ada' })
  expect(deleted.seen).toEqual([
    { id: 'user.undo_delete', input: { params: {}, query: {}, body: { client_user_id: 'ada' } } },
  ])
})

test('requires an explicit action for a tool that changes something', async () => {
  const { seen, document } = await calling('connections_change', { user_id: 'ada', provider: 'oura' })
  expect(document.error.message).toBe('action: must be one of connect_demo, disconnect')
  expect(seen).toEqual([])
})

test('refuses an action for a tool that has only one', async () => {
  const { document, seen } = await calling('users_get', { action: 'get', user_id: 'ada' })
  expect(document.error.message).toBe('action: is not an argument here. Arguments: user_id')
  expect(seen).toEqual([])
})

test('accepts a number of records to skip as text', async () => {
  const { document } = await calling('users_list', { skip_records: '2' }, () => ({ users: [1, 2, 3], total: 3 }))
  expect(document).toEqual({
    page: { skipped_records: 2, records: 1, left_records: 0, next: null },
    result: { users: [3], total: 3 },
  })
})

test('reveals only the kind of an unexpected error, and logs only where it was thrown', async () => {
  const { document, records, isError } = await calling('team_get', {}, () => {
    throw new TypeError('cannot read sk_us_secret of Ada\n    with 61 bpm')
  })
  expect(isError).toBe(true)
  expect(document.error).toMatchObject({ code: 'bug', message: 'svc has a bug: TypeError' })
  expect(records).toEqual([
    { tool: 'team_get', outcome: 'bug', milliseconds: expect.any(Number), trace: expect.any(String) },
  ])
  expect(records[0]?.trace).toMatch(/^ +at /)
  expect(JSON.stringify([document, records])).not.toMatch(/secret|Ada|61 bpm/)
})

test('prefers the error’s own suggestions, and otherwise says what a model can do', async () => {
  const refused = (error: ServiceError) =>
    calling('team_get', {}, () => {
      throw error
    })
  const own = await refused(new ServiceError('operator_only', 'No.', { suggestions: ['Unset SVC_API_KEY.'] }))
  expect(own.document.error.suggestions).toEqual(['Unset SVC_API_KEY.'])
  const other = await refused(new ServiceError('operator_only', 'No.'))
  expect(other.document.error.suggestions[0]).toMatch(/Use other tools/)
})
