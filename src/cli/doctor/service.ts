/** Checks of the service, which is the embedded engine's store or a server. */
import pjson from '../../../package.json' with { type: 'json' }
import type { ServiceClient } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { type StoreUrl, shownStore } from '../../core/store-url.ts'
import { stateOfFolder, tooNewRemedies, versionsOfStore } from '../../engine/folder.ts'
import { sizeText } from '../../output/throughput.ts'
import { dataFolderAt, runningServer } from '../../store/folder/data-folder.ts'
import type { FolderState, StoreSchema } from '../../store/folder/folder-state.ts'
import { type Finding, ok, problem, toProblem, warning } from './finding.ts'

/** Time limit for a server. */
const SERVER_MS = 5_000

const REPAIR =
  'Run `svc engine check` to list all damage. Then restore a snapshot, or run `svc engine salvage --to DIR` to copy the intact data.'

/** Finding for each state of a store that is not ready. */
const UNREADY: Readonly<
  Record<Exclude<FolderState['kind'], 'ready' | 'absent'>, (file: string, schema: StoreSchema) => Finding>
> = {
  lost: file => problem('store', `${file} was removed or emptied.`, REPAIR),
  locked: file =>
    problem('store', `Another process has locked ${file}.`, 'Wait until it has finished, or stop it, and try again.'),
  older: (file, { version, newest }) =>
    warning(
      'store',
      `${file} was created by an older svc and has schema ${version}. An older svc can still open it.`,
      `The next command migrates it to schema ${newest}, after saving a copy if there is enough free space. Then an older svc cannot open it anymore.`,
    ),
  newer: (file, { version, newest }) =>
    problem(
      'store',
      `${file} was created or migrated by a newer svc: it has schema ${version}, and this svc supports up to ${newest}.`,
      tooNewRemedies(file).join(' '),
    ),
  unreleased: file =>
    problem(
      'store',
      `${file} was made by a version of svc between two releases.`,
      'Copy it with the svc that made it (`svc engine copy`), or choose another folder.',
    ),
  damaged: file => problem('store', `${file} is damaged, or is not an svc database.`, REPAIR),
}

interface StoreFinding {
  readonly findings: readonly Finding[]
  /** Whether there is a store that can be opened. */
  readonly isReady: boolean
}

/** Checks the store quickly: its state, lock and pages, but not every row. */
export async function checkStore(folder: string): Promise<StoreFinding> {
  try {
    const state = await stateOfFolder(folder)
    return { findings: folderFindings(state), isReady: state.kind === 'ready' }
  } catch (error) {
    return { findings: [toProblem('store', error)], isReady: false }
  }
}

/** Checks that the server of a PostgreSQL store accepts this machine, and that the store can be opened with this folder and key. */
export async function checkSharedStore(store: StoreUrl, folder: string): Promise<StoreFinding> {
  try {
    const { server, schema } = await versionsOfStore(store, folder, SERVER_MS)
    const found = ok('store', `${shownStore(store)} runs PostgreSQL ${server}.`)
    return { findings: [found, ...schemaFindings(schema)], isReady: false }
  } catch (error) {
    return { findings: [toProblem('store', error)], isReady: false }
  }
}

function folderFindings(state: FolderState): readonly Finding[] {
  if (state.kind === 'absent') return [ok('store', 'Nothing is stored yet.')]
  if (state.kind !== 'ready') return [UNREADY[state.kind](state.file, state.schema)]
  const scope = state.isRead ? ' Its pages are intact.' : ' It is large: `svc engine check` reads all of it.'
  const found = ok('store', `${state.file} takes up ${sizeText(state.bytes)}.${scope}`)
  return [found, ...schemaFindings(state.schema)]
}

/** Says which other versions of svc can open the store. */
function schemaFindings({ version, newest, copies }: StoreSchema): readonly Finding[] {
  if (version === null) return []
  if (version < newest) {
    const remedy = `Back up the database: the next command migrates it to schema ${newest} without a copy. Then an older svc cannot open it anymore.`
    return [warning('schema', `The store has schema ${version}. An older svc can still open it.`, remedy)]
  }
  const kept = copies.map(({ path, version: of, bytes }) => ` Copy with schema ${of}: ${path} (${sizeText(bytes)}).`)
  const older = `An older svc can open the store only if it supports this schema (\`svc --version --json\`).`
  return [ok('schema', `The store has schema ${version}. ${older}${kept.join('')}`)]
}

/** Checks whether the engine's clock follows real time. */
export async function checkEngineClock(client: ServiceClient): Promise<Finding> {
  const reply = await client.call('clock.get', {})
  if (reply.kind !== 'json') throw new ServiceError('bad_response', 'The response to clock.get is not JSON.')
  const { now, offset_seconds, frozen } = reply.body
  const remedy = 'If this is not intended, run `svc engine clock set real`.'
  if (frozen) return warning('engine clock', `The engine's clock is frozen at ${now}.`, remedy)
  if (Math.abs(offset_seconds) >= 1)
    return warning('engine clock', `The engine's clock does not show real time: it is at ${now}.`, remedy)
  return ok('engine clock', "The engine's clock follows real time.")
}

/** Checks that a server responds at the URL. */
export async function checkReachable(baseUrl: string): Promise<Finding> {
  const { host } = new URL(baseUrl)
  try {
    await fetch(at(baseUrl, '/healthz'), { signal: AbortSignal.timeout(SERVER_MS), redirect: 'manual' })
    return ok('server', `${host} responds.`)
  } catch {
    return problem('server', `${host} does not respond.`, 'Check the base URL and whether the server is running.')
  }
}

/** Checks that the server accepts the key. */
export async function checkKey(client: ServiceClient): Promise<Finding> {
  try {
    await client.call('user.list', { query: { limit: 1, offset: 0 } })
    return ok('API key', 'The server accepts the key.')
  } catch (error) {
    return toProblem('API key', error)
  }
}

/** Compares the versions of a server and of this program. */
export async function checkVersions(baseUrl: string | null): Promise<Finding> {
  const own = pjson.version
  if (baseUrl === null) return ok('version', `svc ${own}.`)
  const server = await serverVersion(baseUrl)
  if (server === null) return ok('version', `svc ${own}. The server does not report its version.`)
  if (server === own) return ok('version', `svc ${own}, and the server has the same version.`)
  return warning('version', `svc ${own}, but the server has ${server}.`, 'Update the older of the two.')
}

/** Returns the version in the server's OpenAPI document; null if the document has none. */
async function serverVersion(baseUrl: string): Promise<string | null> {
  try {
    const response = await fetch(at(baseUrl, '/openapi.json'), { signal: AbortSignal.timeout(SERVER_MS) })
    const document: unknown = await response.json()
    if (typeof document !== 'object' || document === null || !('info' in document)) return null
    const { info } = document
    if (typeof info !== 'object' || info === null || !('version' in info)) return null
    return typeof info.version === 'string' && /^[\w.+-]{1,32}$/.test(info.version) ? info.version : null
  } catch {
    return null
  }
}

/** Returns the URL of the server that is running on a data folder, or null if there is none. */
export function localServer(folder: string): string | null {
  return runningServer(dataFolderAt(folder))
}

function at(baseUrl: string, path: string): string {
  return baseUrl.replace(/\/+$/, '') + path
}
