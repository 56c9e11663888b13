/** Calls with an API key or a link token, as they arrive over HTTP. */
import type { JsonReply, Reply } from '../../../src/contract/kernel/operation.ts'
import type { OperationId } from '../../../src/contract/operations.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import type { Harness } from '../../kit/harness.ts'

interface Input {
  readonly params?: Record<string, unknown>
  readonly query?: Record<string, unknown>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Holder {
  reply(id: OperationId, input?: Input): Promise<Reply<unknown>>
  call<T>(id: OperationId, input?: Input): Promise<T>
  refusal(id: OperationId, input?: Input): Promise<ServiceError>
}

export function keyHolder(h: Harness, apiKey: string | null, linkToken: string | null = null): Holder {
  const reply = (id: OperationId, { params = {}, query = {}, body, headers }: Input = {}) =>
    runOperation(h.engine.context, id, {
      input: { params, query, body, headers },
      credentials: { kind: 'headers', apiKey, linkToken },
      accept: 'application/json',
    })
  return {
    reply,
    async call<T>(id: OperationId, input?: Input) {
      return ((await reply(id, input)) as JsonReply<T>).body
    },
    async refusal(id, input) {
      try {
        await reply(id, input)
      } catch (error) {
        if (error instanceof ServiceError) return error
        throw error
      }
      throw new Error(`${id} was not refused`)
    },
  }
}

/** Creates a team and returns it with its key. */
export async function newTeam(h: Harness, name: string): Promise<{ team_id: string; api_key: string; as: Holder }> {
  const { team_id, api_key } = await h.call('team.create', { body: { name } })
  return { team_id, api_key, as: keyHolder(h, api_key) }
}
