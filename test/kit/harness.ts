/** An engine in a new data folder with a clock and randomness controlled by the test, called as the local team. */
import type { CallerInput, JsonReply, Reply, ReplyBody } from '../../src/contract/kernel/operation.ts'
import type { OperationId, Operations } from '../../src/contract/operations.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { seededRandom } from '../../src/core/random.ts'
import { runOperation } from '../../src/engine/engine.ts'
import { type OpenEngine, openEngine } from '../../src/engine/open.ts'
import type { TeamRecord } from '../../src/store/team.ts'
import { newStore } from './new-store.ts'

/** Noon UTC on a Friday. */
export const NOON = Date.UTC(2026, 10, 20, 12)

interface CallWith {
  readonly linkToken?: string
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Harness {
  readonly engine: OpenEngine
  readonly dataDir: string
  readonly team: TeamRecord
  /** Real time as the engine sees it; tests advance it. */
  readonly time: { now(): number; ms: number }
  call<K extends OperationId>(
    id: K,
    input: CallerInput<Operations[K]>,
    options?: CallWith,
  ): Promise<ReplyBody<Operations[K]>>
  /** Returns the refusal of a call that must fail. */
  refusal<K extends OperationId>(id: K, input: CallerInput<Operations[K]>, options?: CallWith): Promise<ServiceError>
}

export async function openHarness(
  options: { dataDir?: string; pageSize?: number; chance?: string } = {},
): Promise<Harness> {
  const dataDir = options.dataDir ?? (await newStore())
  const time = { ms: NOON, now: () => time.ms }
  const engine = openEngine({
    dataDir,
    waitForLock: 'blocking',
    time,
    random: seededRandom(options.chance ?? 'harness'),
    ...(options.pageSize ? { pageSize: options.pageSize } : {}),
  })
  const team = await engine.localTeam()
  const run = async (id: OperationId, input: object, how: CallWith = {}): Promise<Reply<unknown>> => {
    const { params = {}, query = {}, body } = input as { params?: object; query?: object; body?: unknown }
    return runOperation(engine.context, id, {
      input: {
        params: params as Record<string, unknown>,
        query: query as Record<string, unknown>,
        body,
        headers: how.headers,
      },
      credentials: { kind: 'team', team, linkToken: how.linkToken ?? null },
      accept: how.accept ?? 'application/json',
    })
  }
  return {
    engine,
    dataDir,
    team,
    time,
    async call(id, input, how) {
      const reply = (await run(id, input, how)) as JsonReply<never>
      return reply.body
    },
    async refusal(id, input, how) {
      try {
        await run(id, input, how)
      } catch (error) {
        if (error instanceof ServiceError) return error
        throw error
      }
      throw new Error(`${id} was not refused`)
    },
  }
}
