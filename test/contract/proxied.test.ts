/**
 * Runs the conversation through a proxy that validates traffic against openapi.json: the document describes every response, and allows
 * every request that the service accepts.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ServiceClient } from '../../src/client/client.ts'
import { openHttp } from '../../src/client/http.ts'
import { openApiDocument } from '../../src/contract/kernel/openapi.ts'
import type { ByteSource } from '../../src/contract/kernel/operation.ts'
import { far, type Ground, prepareGround } from './conversation/ways.ts'
import { wholeConversation as steps } from './conversation/whole.ts'
import { converse, type Outcome } from './conversation.ts'
import { prismProxy, readProblem } from './prism.ts'

/** Prism forwards the header of a chunked body together with a length, which no server accepts: streams are sent as files. */
function withKnownLengths(client: ServiceClient, folder: string): ServiceClient {
  return {
    async call(id, input, options) {
      const { body } = input as { readonly body?: ByteSource }
      if (body?.kind !== 'stream') return client.call(id, input, options)
      const path = join(folder, 'body')
      await writeFile(path, body.stream)
      return client.call(id, { ...input, body: { kind: 'file', path } }, options)
    },
    close: () => client.close(),
  }
}

let ground: Ground
let direct: Map<string, Outcome>
let proxied: Map<string, Outcome>

beforeAll(async () => {
  ground = await prepareGround()
  const straight = await far(ground, 'straight')
  const client = openHttp({ baseUrl: straight.url, apiKey: straight.apiKey, timeoutMs: 60_000 })
  direct = await converse(client, steps, ground)
  await client.close()
  await straight.close()

  const server = await far(ground, 'behind')
  const file = join(ground.folder, 'openapi.json')
  await writeFile(file, JSON.stringify(openApiDocument({ version: '1.0.0', serverUrl: server.url })))
  const proxy = await prismProxy(file, server.url)
  const through = openHttp({ baseUrl: proxy.url, apiKey: server.apiKey, timeoutMs: 60_000, retries: 0 })
  proxied = await converse(withKnownLengths(through, ground.folder), steps, ground)
  await through.close()
  await server.close()
}, 300_000)

describe('the conversation through a validating proxy', () => {
  it.each(steps.map(each => [each.name, each.id]))('matches the document: %s (%s)', name => {
    const straight = direct.get(name) as Outcome
    const outcome = proxied.get(name) as Outcome
    const isJson = outcome.body.startsWith('{') || outcome.body.startsWith('[')
    const problem = isJson ? readProblem(JSON.parse(outcome.body)) : null
    const isRefused = straight.status === null || straight.status >= 400
    // the proxy stops a request that the document does not allow; the service refuses it as well
    if (problem?.side === 'request' && isRefused) return
    expect({ status: outcome.status, problem }).toEqual({ status: straight.status, problem: null })
  })
})
