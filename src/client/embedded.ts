/** The service inside this process: every call goes directly to the engine on a data folder. See docs/architecture.md. */
import type { BytesReply, EmptyReply, JsonReply } from '../contract/kernel/operation.ts'
import type { RawInput } from '../contract/kernel/validation.ts'
import { type OperationId, operations } from '../contract/operations.ts'
import { ServiceError } from '../core/errors.ts'
import { hashSecret } from '../core/ids.ts'
import type { StoreUrl } from '../core/store-url.ts'
import type { Credentials, EngineContext } from '../engine/context.ts'
import { engineNow, runOperation } from '../engine/engine.ts'
import { isReady } from '../engine/folder.ts'
import { chosenStore, type OpenOptions, openEngine } from '../engine/open.ts'
import { runOverdueJobs } from '../engine/upkeep/jobs.ts'
import type { TeamRecord } from '../store/team.ts'
import type { CallInput, CallOptions, ServiceClient } from './client.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  /** The PostgreSQL store; null for the SQLite store in the data folder. Defaults to the value of SVC_STORE. */
  readonly store?: StoreUrl | null | undefined
  /** Base URL of links; null for the folder's running `svc serve`, if any. */
  readonly publicUrl: string | null
  /** API key of a team in the folder; null or absent for the local team, which may do everything. */
  readonly apiKey?: string | null
  /** Snapshot to restore if the database is lost. Without it, a folder whose database is missing is refused. */
  readonly restoring?: string | undefined
  /**
   * Whether the caller must not wait. If so, overdue work stays due, and a store that is new, locked or of another version is refused
   * instead of being created, awaited or migrated. A PostgreSQL store is always refused, because its state is unknown without a connection.
   */
  readonly isOnlyLooking?: boolean
  /** Receives lines for stderr: warnings and progress. */
  readonly note?: (line: string) => void
  /** Injected clock, randomness and sizes, for tests. */
  readonly engine?: Pick<OpenOptions, 'time' | 'random' | 'seed' | 'pageSize' | 'consoleUrl'>
}

/** Opens a client for the key's team, or for the local team. Throws ServiceError if the folder cannot be used; see openEngine. */
export async function openEmbedded(options: EmbeddedOptions): Promise<ServiceClient> {
  const { isOnlyLooking = false } = options
  const store = chosenStore(options.store)
  if (isOnlyLooking && (store !== null || !isReady(options.dataDir))) throw notReady(options.dataDir)
  const engine = await openEngine({
    ...options.engine,
    dataDir: options.dataDir,
    store,
    publicUrl: options.publicUrl,
    waitForLock: 'blocking',
    restoring: options.restoring,
    note: options.note,
  })
  const { context } = engine
  const apiKey = options.apiKey ?? null
  try {
    const team = apiKey === null ? await engine.localTeam() : await findTeam(context, apiKey)
    return {
      async call(id, input, callOptions: CallOptions = {}) {
        const raw = { ...rawInput(input as CallInput), headers: callOptions.headers }
        const now = () => engineNow(context)
        // first run the overdue work that affects this call, because there may be no server that does it
        if (team && !isOnlyLooking) await runOverdueJobs(context, { teamId: team.teamId, input: raw, now })
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
        // the handler map's type guarantees that the body has the operation's type
        return reply as JsonReply<never> | BytesReply | EmptyReply
      },
      close: () => engine.close(),
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

function notReady(dataDir: string): ServiceError {
  return new ServiceError('data_folder', `The data folder ${dataDir} has no store that can be read at once.`)
}

/** Returns the team of a key; null if no team in this folder has the key; every call then reports this. */
async function findTeam({ store }: EngineContext, apiKey: string): Promise<TeamRecord | null> {
  return (await store.teams.holderOf(hashSecret(apiKey)))?.team ?? null
}

/** Returns the credentials as HTTP headers; link operations have only the link token. */
function headers(id: OperationId, apiKey: string | null, linkToken: string | null): Credentials {
  const isLink = operations[id].auth === 'link_token' && linkToken !== null
  return { kind: 'headers', apiKey: isLink ? null : apiKey, linkToken }
}

/** Adds a hint to the error for a refused key. Only a key that the user supplied can be refused here, and it may have been meant for a
 * server. */
function explained(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error
  if (error.code !== 'invalid_api_key' && error.code !== 'operator_only') return error
  return new ServiceError(error.code, error.message, {
    cause: error,
    suggestions: [
      'The embedded engine accepts only the keys of its own teams. Unset SVC_API_KEY and remove the key from the profile to work as the local team.',
    ],
  })
}

function rawInput(input: CallInput): RawInput {
  return { params: present(input.params), query: present(input.query), body: input.body }
}

/** Drops parameters without a value, which a URL cannot contain. */
function present(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}
