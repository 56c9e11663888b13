/** Stores to copy, and all their rows. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import pg from 'pg'
import { openEmbedded } from '../../../src/client/embedded.ts'
import type { JsonReply } from '../../../src/contract/kernel/operation.ts'
import type { OperationId } from '../../../src/contract/operations.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import type { TeamId, UserId } from '../../../src/core/ids.ts'
import type { OpenEngine } from '../../../src/engine/open.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { type CopyStoreOptions, copyStore } from '../../../src/store/copy/copy-store.ts'
import type { CopyProgress } from '../../../src/store/copy/side.ts'
import { COPIED_TABLES } from '../../../src/store/copy/tables.ts'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import { disableTokenSets, readTokenSetsState } from '../../../src/store/logic/live/moved.ts'
import { openDatabase } from '../../../src/store/sqlite/opening.ts'
import { prepareGround } from '../../contract/conversation/ways.ts'
import { wholeConversation } from '../../contract/conversation/whole.ts'
import { converse, NOW } from '../../contract/conversation.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { fillLive } from '../live/live-store.ts'

/** Steps of these operations would leave tables empty. */
const REMOVING: readonly OperationId[] = [
  'aggregate.undo_correction',
  'continuous_query.delete',
  'engine.reset',
  'import.undo',
  'recording.replay',
  'recording.start',
  'snapshot.restore',
  'user.delete',
  'webhook.delete',
]

/** The clock of a filled store. With a later one, due work would change its data, for example end a demo. */
export const AS_FILLED = { time: { now: () => NOW } } as const

/** Returns the folder of a store in which every operation was called, and to which lasting data was then added. */
export async function filledFolder(): Promise<string> {
  const ground = await prepareGround()
  const dataDir = join(ground.folder, 'filled')
  const client = await openEmbedded({
    dataDir,
    publicUrl: 'https://health.example',
    store: null,
    engine: { ...AS_FILLED, random: ground.chance },
  })
  await converse(
    client,
    wholeConversation.filter(step => !REMOVING.includes(step.id)),
    ground,
  )
  await client.close()
  await addData(dataDir)
  return dataDir
}

async function addData(dataDir: string): Promise<void> {
  const client = await openEmbedded({ dataDir, publicUrl: null, store: null, engine: AS_FILLED })
  const call = client.call.bind(client)
  await call('webhook.create', { body: { url: 'http://127.0.0.1:9/hook', event_types: ['*'] } })
  await call('engine.seed', { body: { people: 6, days: 40, seed: 7, first: 1 } })
  const { body } = (await call('team.list', {})) as JsonReply<{ teams: { team_id: string }[] }>
  // from then on, the bytes of its users are counted
  await call('team.update', { params: { team_id: `${body.teams[0]?.team_id}` }, body: { max_bytes: 1e12 } })
  await client.close()
  const db = new DatabaseSync(join(dataDir, 'svc.db'))
  db.exec(`INSERT INTO tombstone (team_id, user_id, client_user_hash, deleted_at) SELECT team_id, 'gone', 'hash', 1 FROM team LIMIT 1;
    INSERT INTO console_passkey (passkey_id, person_id, team_id, name, host, credential_id, public_key, sign_count, created_at)
      SELECT 'passkey', person_id, team_id, 'Chrome 2026-11-20', 'localhost', 'credential', x'a5', 3, 1 FROM console_person LIMIT 1;
    INSERT INTO source_priority (team_id, data_type, provider, source_type, priority) SELECT team_id, 'sleep', 'oura', '', 1 FROM team LIMIT 1;
    INSERT INTO failed_attempt (user_id, sequence, endpoint_id, number, at, status, error, ms)
      SELECT user_id, sequence, endpoint_id, 1, 1, 500, 'the endpoint answered with 500', 12 FROM delivery LIMIT 1;
    UPDATE delivery SET leased_by='somebody' WHERE sequence=1`)
  db.close()
  await addLiveData(dataDir)
}

/** Adds rows of live providers. The token set is already moved, because a copy would change one that is not. */
async function addLiveData(dataDir: string): Promise<void> {
  const { context, close } = await openFolder(dataDir, AS_FILLED)
  const { store } = context
  const team = (await store.teams.all()).find(({ users }) => users > 5)?.team.teamId as TeamId // the store with the seeded people
  const userId = (await store.users.list(team, 0, 1)).users[0]?.userId as UserId // the newest of them
  await fillLive(store, team, userId)
  await close()
  const db = openDatabase({ folder: openDataFolder(dataDir), waitForLock: 'blocking' })
  await db.write(() => disableTokenSets(db.drive(readTokenSetsState())))
  db.close()
}

/** The rows of a store, by table and in the order of their texts. */
export type Rows = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>

export function rowsOfFolder(dataDir: string): Rows {
  const db = new DatabaseSync(join(dataDir, 'svc.db'))
  try {
    const names = db.prepare("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name").all() as {
      name: string
    }[]
    return new Map(names.map(({ name }) => [name, inOrder(db.prepare(`SELECT * FROM "${name}"`).all())]))
  } finally {
    db.close()
  }
}

export async function rowsOfDatabase(url: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: names } = await client.query<{ name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname=current_schema() ORDER BY 1',
    )
    const rows = new Map<string, readonly Record<string, unknown>[]>()
    for (const { name } of names) rows.set(name, inOrder((await client.query(`SELECT * FROM "${name}"`)).rows))
    return rows
  } finally {
    await client.end()
  }
}

function inOrder(rows: readonly unknown[]): Record<string, unknown>[] {
  const plain = rows.map(row =>
    Object.fromEntries(
      Object.entries(row as object)
        .sort()
        .map(plainEntry),
    ),
  )
  return plain
    .map(row => ({ row, text: JSON.stringify(row) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ row }) => row)
}

/** `pg` returns a bigint as a text. */
function plainEntry([name, value]: [string, unknown]): [string, unknown] {
  if (value instanceof Uint8Array) return [name, Buffer.from(value).toString('hex')]
  const isNumber = typeof value === 'string' && /^-?\d{1,16}$/.test(value)
  return [name, isNumber ? Number(value) : value]
}

/** Returns the rows that a copy includes, as they should be in the copy. */
export function copied(rows: Rows): Rows {
  const kept = (table: string, row: Readonly<Record<string, unknown>>): boolean => {
    if (table === 'api_key') return !`${row['label']}`.startsWith('session ')
    return table !== 'job' || row['user_id'] !== ''
  }
  return new Map(
    COPIED_TABLES.map(({ table }) => {
      const own = (rows.get(table) ?? []).filter(row => kept(table, row))
      return [table, table === 'delivery' ? own.map(row => ({ ...row, leased_by: null })) : own]
    }),
  )
}

/** Returns the first rows that only one of two stores has, shortened. */
export function differences(some: Rows, others: Rows): string[] {
  const linesOf = (rows: Rows): Set<string> =>
    new Set([...rows].flatMap(([table, own]) => own.map(row => `${table} ${JSON.stringify(row)}`)))
  const [a, b] = [linesOf(some), linesOf(others)]
  const [moreOfA, moreOfB] = [[...a].filter(line => !b.has(line)), [...b].filter(line => !a.has(line))]
  const found = [...moreOfA.map(line => `+ ${line}`), ...moreOfB.map(line => `- ${line}`)]
  return found.slice(0, 10).map(line => line.slice(0, 400))
}

/** Returns the settings that a copy includes. */
export function readSettings(rows: Rows): Readonly<Record<string, unknown>> {
  const own = ['store_id', 'master_key_check', 'unfinished_copy']
  const settings = (rows.get('setting') ?? []).map(({ name, value }) => [`${name}`, value] as const)
  return Object.fromEntries(settings.filter(([name]) => !own.includes(name)))
}

/** Runs a copy without a progress bar. */
export function runCopy(
  from: CopyStoreOptions['from'],
  to: CopyStoreOptions['to'],
  options: { readonly onProgress?: (progress: CopyProgress) => void; readonly signal?: AbortSignal } = {},
) {
  return copyStore({ from, to, onProgress: options.onProgress ?? (() => {}), signal: options.signal })
}

/** Returns the path of a folder that does not exist yet. */
export function newFolder(): string {
  return join(temporaryFolder(), 'copy')
}

/** Opens the engine on a folder, whichever store the tests run over. */
export function openFolder(dataDir: string, clock: Partial<typeof AS_FILLED> = {}): Promise<OpenEngine> {
  return openEngine({ dataDir, store: null, waitForLock: 'blocking', ...clock })
}

/** Returns all problems that a check finds. */
export async function findProblems(engine: OpenEngine): Promise<unknown[]> {
  const problems: unknown[] = []
  for await (const problem of engine.context.store.upkeep.check()) problems.push(problem)
  return problems
}

/** Returns the refusal of a call that must fail. */
export async function refusal(call: Promise<unknown>): Promise<ServiceError> {
  const error = await call.catch((thrown: unknown) => thrown)
  if (error instanceof ServiceError) return error
  throw error instanceof Error ? error : new Error('nothing was refused')
}

/** Copies until a table has been reached, and stops as Ctrl-C does. */
export async function interrupted(
  from: CopyStoreOptions['from'],
  to: CopyStoreOptions['to'],
  table: string,
): Promise<ServiceError> {
  const controller = new AbortController()
  const onProgress = (progress: CopyProgress): void => {
    if (progress.table === table) controller.abort()
  }
  return refusal(runCopy(from, to, { onProgress, signal: controller.signal }))
}

/** Returns how many tables a running copy has completed. */
export function reachedBy(folder: string): number {
  let db: InstanceType<typeof DatabaseSync> | undefined
  try {
    db = new DatabaseSync(join(folder, 'svc.db'), { readOnly: true })
    const row = db.prepare("SELECT value FROM setting WHERE name='unfinished_copy'").get()
    const { value } = row as { value: string } // throws if there is none
    return (JSON.parse(value) as { tables: number | null }).tables ?? -1
  } catch {
    // the store is being created
    return -1
  } finally {
    db?.close()
  }
}
