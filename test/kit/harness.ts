/** An engine in a new data folder with a clock and randomness controlled by the test, called as the local team. */
import type { CallerInput, JsonReply, Reply, ReplyBody } from '../../src/contract/kernel/operation.ts'
import type { OperationId, Operations } from '../../src/contract/operations.ts'
import { ServiceError } from '../../src/core/errors.ts'
import type { TeamId } from '../../src/core/ids.ts'
import { seededRandom } from '../../src/core/random.ts'
import type { EngineContext } from '../../src/engine/context.ts'
import { runOperation } from '../../src/engine/engine.ts'
import { type OpenEngine, openEngine } from '../../src/engine/open.ts'
import type { Store } from '../../src/store/port.ts'
import type { PostgresStore } from '../../src/store/postgres/store.ts'
import type { TeamRecord } from '../../src/store/team.ts'
import { atEndOfFile } from './end-of-file.ts'
import { IS_ON_POSTGRES, storeOptions } from './postgres/database.ts'
import { delayedStore } from './store/delayed-store.ts'
import { newStore } from './store/new-store.ts'

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
  /** Waits until lists show all committed events of the team, for tests that read the store. */
  settled(): Promise<void>
  call<K extends OperationId>(
    id: K,
    input: CallerInput<Operations[K]>,
    options?: CallWith,
  ): Promise<ReplyBody<Operations[K]>>
  /** Returns the refusal of a call that must fail. */
  refusal<K extends OperationId>(id: K, input: CallerInput<Operations[K]>, options?: CallWith): Promise<ServiceError>
}

/** Whether every test runs over the delayed store: `npm test -- --delayed`. */
export const ALL_DELAYED = process.env['SVC_TEST_DELAYED'] === '1'

export interface HarnessOptions {
  readonly dataDir?: string
  readonly pageSize?: number
  /** Path of a file with the operator's own providers. */
  readonly providers?: string
  readonly chance?: string
  /**
   * Whether `event.list` may lag behind committed events. Otherwise it is called when it no longer lags, as by a person who looks a moment
   * later. Reads by the engine itself within a call lag in any case.
   */
  readonly isLagShown?: boolean
}

export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  const dataDir = options.dataDir ?? (await newStore())
  const time = { ms: NOON, now: () => time.ms }
  const opened = closedOnce(
    await openEngine({
      dataDir,
      ...storeOptions(dataDir),
      waitForLock: 'blocking',
      time,
      random: seededRandom(options.chance ?? 'harness'),
      ...(options.pageSize ? { pageSize: options.pageSize } : {}),
      providers: options.providers,
    }),
  )
  // its connections would stay open until the last test of the worker
  if (IS_ON_POSTGRES) atEndOfFile(() => opened.close())
  const { isLagShown = false } = options
  const { engine, placed: settled } = overTestStore(opened, ALL_DELAYED || isLagShown)
  const team = await engine.localTeam()
  const run = async (id: OperationId, input: object, how: CallWith = {}): Promise<Reply<unknown>> => {
    if (id === 'event.list' && !isLagShown) await settled(team.teamId)
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
    settled: () => settled(team.teamId),
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

/** Waits until the events of a PostgreSQL store have their positions. */
async function settledIn(store: Store & Partial<Pick<PostgresStore, 'positioned'>>): Promise<void> {
  await store.positioned?.()
}

/** A test may have closed its engine. */
function closedOnce(engine: OpenEngine): OpenEngine {
  let closing: Promise<void> | undefined
  return {
    ...engine,
    close() {
      closing ??= engine.close()
      return closing
    },
  }
}

/** Returns the engine over the current test store, and a function that waits until a team's events are visible to lists. */
export function overTestStore(
  opened: OpenEngine,
  isDelayed = ALL_DELAYED,
): { readonly engine: OpenEngine; placed(teamId: TeamId): Promise<void> } {
  if (IS_ON_POSTGRES) return { engine: opened, placed: () => settledIn(opened.context.store) }
  if (!isDelayed) return { engine: opened, placed: async () => {} }
  const { store, positions } = delayedStore(opened.context.store)
  const context: EngineContext = {
    ...opened.context,
    store,
    scratchStore: (path, time) => delayedStore(opened.context.scratchStore(path, time)).store,
  }
  return { engine: { ...opened, context }, placed: teamId => positions.settled(teamId) }
}
