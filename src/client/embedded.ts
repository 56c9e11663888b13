/** The service inside this process: every call goes straight to the engine on a data folder (design 2). */
import type { BytesReply, JsonReply } from '../contract/operation.ts'
import type { RawInput } from '../contract/validation.ts'
import { engineNow, runOperation } from '../engine/engine.ts'
import { runOverdueOf } from '../engine/jobs.ts'
import { type OpenOptions, openEngine } from '../engine/open.ts'
import type { CallOptions, ServiceClient } from './client.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  /** Where links point to; null: the running `svc serve` of the folder, if any. */
  readonly publicUrl: string | null
  /** Injected clock, chance and sizes: for tests. */
  readonly engine?: Pick<OpenOptions, 'time' | 'random' | 'seed' | 'pageSize'>
}

/** A client of the local team. Throws ServiceError when the folder cannot be used (see openEngine). */
export async function openEmbedded(options: EmbeddedOptions): Promise<ServiceClient> {
  const engine = openEngine({
    ...options.engine,
    dataDir: options.dataDir,
    publicUrl: options.publicUrl,
    waitForLock: 'blocking',
  })
  try {
    const team = await engine.localTeam()
    return {
      async call(id, input, callOptions: CallOptions = {}) {
        const raw = rawInput(input as CallInput)
        const now = () => engineNow(engine.context)
        // no server may be there to do it: what is overdue for whom this call is about, is done on the way (design 9)
        await runOverdueOf(engine.context, { teamId: team.teamId, input: raw, now })
        const reply = await runOperation(engine.context, id, {
          input: raw,
          credentials: { kind: 'team', team, linkToken: callOptions.linkToken ?? null },
          accept: callOptions.accept ?? 'application/json',
          signal: callOptions.signal,
          onProgress: callOptions.onProgress,
        })
        // the handler map is checked against the table: the body of an operation has its type
        return reply as JsonReply<never> | BytesReply
      },
      close: () => engine.close(),
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

interface CallInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

function rawInput(input: CallInput): RawInput {
  return { params: present(input.params), query: present(input.query), body: input.body }
}

/** A parameter without a value is one that is not sent, as in a URL. */
function present(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}
