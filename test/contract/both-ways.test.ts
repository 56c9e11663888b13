/**
 * Calls every operation embedded and over HTTP: with the same clock, randomness and public URL, the bodies are the same bytes, and
 * openapi.json describes them. The same conversation runs twice, each time on its own data folder; later steps may use earlier responses.
 * See docs/architecture.md.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { openHttp } from '../../src/client/http.ts'
import { operationIds } from '../../src/contract/operations.ts'
import { far, type Ground, near, prepareGround } from './conversation/ways.ts'
import { wholeConversation as steps } from './conversation/whole.ts'
import { converse, type Outcome, type Step } from './conversation.ts'
import { checkingClient } from './requests/documented.ts'

let ground: Ground
let embedded: Map<string, Outcome>
let remote: Map<string, Outcome>
/** Why the document does not describe the response to a step, by the step's name. */
const problems = new Map<string, string>()

/** The same step, whose response is compared with the document. */
const checked = (step: Step): Step => ({
  ...step,
  run: (client, memory) => {
    const report = (problem: string) => void problems.set(step.name, problem)
    return step.run(checkingClient(client, report), memory)
  },
})

beforeAll(async () => {
  ground = await prepareGround()
  const local = await near(ground)
  embedded = await converse(local, steps, ground)
  await local.close()

  const server = await far(ground)
  const client = openHttp({ baseUrl: server.url, apiKey: server.apiKey, timeoutMs: 60_000 })
  remote = await converse(client, steps.map(checked), ground)
  await client.close()
  await server.close()
}, 180_000)

describe('embedded and over HTTP', () => {
  it('give every step a unique name', () => {
    const names = steps.map(each => each.name)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  // only a browser starts a session that could end, and adds a passkey: test/server/console
  it.each(operationIds.filter(id => id !== 'session.end' && id !== 'passkey.remove'))(
    'have a successful case: %s',
    id => {
      const statuses = steps.filter(each => each.id === id).map(each => embedded.get(each.name)?.status ?? 0)
      expect(statuses.length, `no case for ${id}`).toBeGreaterThan(0)
      expect(
        statuses.some(status => status >= 200 && status < 300),
        `only ${statuses}`,
      ).toBe(true)
    },
  )

  it.each(steps.map(each => [each.name, each.id]))('give the same response, as documented: %s (%s)', name => {
    const outcome = embedded.get(name)
    expect(outcome).toBeDefined()
    expect(remote.get(name)).toEqual(outcome)
    expect(problems.get(name)).toBeUndefined()
  })

  it('cover every kind of response', () => {
    const statuses = new Set([...embedded.values()].map(outcome => outcome.status))
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 404, 406, 409, 422]))
    expect(JSON.parse(embedded.get('steps')?.body ?? '')).toMatchObject({ next_cursor: expect.any(String) })
    expect(embedded.get('more steps')?.status).toBe(200)
    for (const name of ['sign in', 'the right code', 'complete it for the user']) {
      expect(JSON.parse(embedded.get(name)?.body ?? ''), name).toMatchObject({ state: 'success' })
    }
  })
})
