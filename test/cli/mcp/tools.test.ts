/** The tools as a model sees them: their number, their effects, and that none of them reveals a secret. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { buildTools } from '../../../src/cli/mcp/server.ts'
import { listArguments } from '../../../src/cli/mcp/tool-arguments.ts'
import { RECORD_LISTS, TOOL_SPECS } from '../../../src/cli/mcp/tool-table.ts'
import type { ServiceClient } from '../../../src/client/client.ts'
import { Components } from '../../../src/contract/kernel/json-schema.ts'
import type { Operation } from '../../../src/contract/kernel/operation.ts'
import { type OperationId, operationIds, operations } from '../../../src/contract/operations.ts'

const unused: ServiceClient = {
  call: () => Promise.reject(new Error('not called')),
  close: async () => {},
}
const tools = [...buildTools(unused).values()]

/** Operations that are never tools, by reason. */
const NEVER: Readonly<Record<string, readonly OperationId[]>> = {
  'answers with a secret': [
    'user.sign_in_token',
    'link.token',
    'webhook.create',
    'webhook.rotate_secret',
    'team.create',
    'key.create',
    'console.sign_in_token',
    'person.create',
    'person.sign_in_token',
    'provider.setups',
  ],
  'takes a secret of a user, or the token of a link': [
    'link.password',
    'link.complete_mfa',
    'link.complete_mfa_for_user',
    'link.email',
    'link.oauth',
    'link.oauth_callback',
    'link.oauth_consent',
    'link.providers',
    'provider.setup',
  ],
  'is larger than an assistant should read; aggregate_columns lists one table at a time': ['aggregate.columns'],
  'concerns keys, people or other teams': [
    'key.list',
    'key.public',
    'key.revoke',
    'person.list',
    'person.update',
    'person.remove',
    'passkey.list',
    'passkey.remove',
    'session.list',
    'session.end',
    'provider.teardown',
    'team.list',
    'team.update',
  ],
  'replaces, copies or breaks the store, or its clock': [
    'clock.set',
    'engine.check',
    'engine.run_due',
    'engine.reset',
    'engine.snapshot',
    'snapshot.save',
    'snapshot.list',
    'snapshot.restore',
    'snapshot.delete',
    'recording.get',
    'recording.start',
    'recording.read',
    'recording.stop',
    'recording.replay',
    'fault.add',
    'fault.list',
    'fault.clear',
  ],
  'takes or answers bytes': [
    'import.create',
    'imports.create',
    'samples.push',
    'user.export',
    'order.result_pdf',
    'order.requisition_pdf',
    'order.requisition_form',
    'provider.raw_answers',
    'timeseries.download',
    'aggregate.download',
  ],
  'answers with what the server of an endpoint said': ['event.attempts'],
  'helps to run the service, and answers no question about data': [
    'job.list',
    'engine.overview',
    'webhook.days',
    'import.remap',
    'provider.remap',
  ],
  'is covered by another operation': [
    'user.resolve',
    'user.names',
    'labs.tests_legacy',
    'timeseries.resources',
    'timeseries.implausible',
    'order.next_states',
  ],
}

const offered = TOOL_SPECS.flatMap(spec => Object.values(spec.operations))

test('every operation is part of exactly one tool, or never a tool for a stated reason', () => {
  expect([...offered, ...Object.values(NEVER).flat()].sort()).toEqual([...operationIds].sort())
})

test('there are at most 30 tools, with names that every client accepts', () => {
  expect(tools.length).toBeLessThanOrEqual(30)
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
  for (const { name, description } of tools) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/)
    expect(description.length, name).toBeGreaterThan(60)
    expect(description.length, name).toBeLessThan(1_024)
  }
})

test('a tool counts as read-only only if all its operations are, and one that can delete says so', () => {
  for (const spec of TOOL_SPECS) {
    const all = Object.values(spec.operations).map((id): Operation => operations[id])
    const tool = tools.find(({ name }) => name === spec.name)
    expect(tool?.isReadOnly, spec.name).toBe(all.every(each => each.method === 'GET' || each.readsOnly === true))
    if (all.some(each => each.method === 'DELETE')) expect(tool?.isDestructive, spec.name).toBe(true)
    if (tool?.isReadOnly) expect(tool.isDestructive, spec.name).toBe(false)
  }
})

test('every input schema is self-contained and valid, without alternatives at the top level', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const { name, inputSchema } of tools) {
    expect(() => ajv.compile(inputSchema), name).not.toThrow()
    expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
    expect(JSON.stringify(inputSchema), name).not.toMatch(/"\$ref"|"x-/)
    expect(Object.keys(inputSchema), name).toEqual(['type', 'properties', 'required', 'additionalProperties'])
  }
})

test('no argument of an operation hides another, and none is lost except deprecated ones', () => {
  for (const id of offered) {
    const operation: Operation = operations[id]
    const components = new Components()
    const names = (['params', 'query'] as const).flatMap(location =>
      components
        .fields(operation[location](SHIPPED_REGISTRY))
        .flatMap(each => (each.schema['deprecated'] === true ? [] : [each.name])),
    )
    const got = [...listArguments(id)]
    expect(new Set(names).size, id).toBe(names.length)
    expect(
      got.flatMap(([name, { location }]) => (location === 'params' || location === 'query' ? [name] : [])),
      id,
    ).toEqual(names)
    if (operation.body) expect(got.length, id).toBeGreaterThan(names.length)
    for (const [name] of got) expect(['action', 'skip_records'], id).not.toContain(name)
  }
})

test('no tool result has a field for a secret', () => {
  for (const id of offered) {
    const components = new Components()
    const schema = JSON.stringify([components.schema(operations[id].reply(), 'output'), components.all()])
    expect(schema, id).not.toMatch(/"(?:secret|api_key|sign_in_token|link_token|password|access_token)":/)
  }
})

test('record paths exist only for operations that are tools', () => {
  expect(Object.keys(RECORD_LISTS).filter(id => !offered.includes(id as OperationId))).toEqual([])
})
