/** The service inside this process: every call goes straight to the engine on a data folder (design 2). */
import type { BytesReply, EmptyReply, JsonReply } from '../contract/kernel/operation.ts'
import type { RawInput } from '../contract/kernel/validation.ts'
import { type OperationId, operations } from '../contract/operations.ts'
import { ServiceError } from '../core/errors.ts'
import { hashSecret } from '../core/ids.ts'
import type { Credentials, EngineContext } from '../engine/context.ts'
import { engineNow, runOperation } from '../engine/engine.ts'
import { type OpenOptions, openEngine } from '../engine/open.ts'
import { runOverdueOf } from '../engine/upkeep/jobs.ts'
import type { TeamRecord } from '../store/team.ts'
import type { CallOptions, ServiceClient } from './client.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  /** Where links point to; null: the running `svc serve` of the folder, if any. */
  readonly publicUrl: string | null
  /** The key of a team of the folder; null or absent: the local team, which may do all. */
  readonly apiKey?: string | null
  /** The snapshot that takes the place of a database that was lost; absent: such a folder is refused. */
  readonly restoring?: string | undefined
  /** A line for stderr: a warning, or what was done on the way. */
  readonly note?: (line: string) => void
  /** Injected clock, chance and sizes: for tests. */
  readonly engine?: Pick<OpenOptions, 'time' | 'random' | 'seed' | 'pageSize'>
}

/** A client of the key's team, or the local one. Throws ServiceError when the folder cannot be used (see openEngine). */
export async function openEmbedded(options: EmbeddedOptions): Promise<ServiceClient> {
  const engine = openEngine({
    ...options.engine,
    dataDir: options.dataDir,
    publicUrl: options.publicUrl,
    waitForLock: 'blocking',
    restoring: options.restoring,
    note: options.note,
  })
  const { context } = engine
  const apiKey = options.apiKey ?? null
  try {
    const team = apiKey === null ? await engine.localTeam() : await teamOf(context, apiKey)
    return {
      async call(id, input, callOptions: CallOptions = {}) {
        const raw = { ...rawInput(input as CallInput), headers: callOptions.headers }
        const now = () => engineNow(context)
        // no server may be there to do it: what is overdue for whom this call is about, is done on the way (design 9)
        if (team) await runOverdueOf(context, { teamId: team.teamId, input: raw, now })
        const linkToken = callOptions.linkToken ?? null
        const running = runOperation(context, id, {
          input: raw,
          credentials: apiKey === null && team ? { kind: 'team', team, linkToken } : headers(id, apiKey, linkToken),
          accept: callOptions.accept ?? 'application/json',
          signal: callOptions.signal,
          onProgress: callOptions.onProgress,
        })
        const reply = await running.catch(error => {
          throw explained(error)
        })
        // the handler map is checked against the table: the body of an operation has its type
        return reply as JsonReply<never> | BytesReply | EmptyReply
      },
      close: () => engine.close(),
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Null: the key is nobody's here, which each call is told. */
async function teamOf({ store }: EngineContext, apiKey: string): Promise<TeamRecord | null> {
  return (await store.teams.holderOf(hashSecret(apiKey)))?.team ?? null
}

/** As they go over HTTP: link operations carry the link token alone. */
function headers(id: OperationId, apiKey: string | null, linkToken: string | null): Credentials {
  const isLink = operations[id].auth === 'link_token' && linkToken !== null
  return { kind: 'headers', apiKey: isLink ? null : apiKey, linkToken }
}

/** Only a key that was given is ever refused here: it may have been meant for a server. */
function explained(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error
  if (error.code !== 'invalid_api_key' && error.code !== 'operator_only') return error
  return new ServiceError(error.code, error.message, {
    cause: error,
    suggestions: [
      'The embedded engine takes the keys of its own teams. Without SVC_API_KEY, and a key in the profile, it works as the local team.',
    ],
  })
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
