/** Stores to copy, and all their rows. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import pg from 'pg'
import { openEmbedded } from '../../../src/client/embedded.ts'
import type { OpenEngine } from '../../../src/engine/open.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { type CopyStoreOptions, copyStore } from '../../../src/store/copy/copy-store.ts'
import type { CopyProgress } from '../../../src/store/copy/side.ts'
import { COPIED_TABLES } from '../../../src/store/copy/tables.ts'
import { near, prepareGround } from '../../contract/conversation/ways.ts'
import { wholeConversation } from '../../contract/conversation/whole.ts'
import { converse } from '../../contract/conversation.ts'
import { temporaryFolder } from '../../kit/folder.ts'

/** Returns the folder of a store in which every operation was called, and then some data was added that stays. */
export async function filledFolder(): Promise<string> {
  const ground = await prepareGround()
  const client = await near(ground)
  await converse(client, wholeConversation, ground)
  await client.close()
  const dataDir = join(ground.folder, 'near')
  await addData(dataDir)
  return dataDir
}

async function addData(dataDir: string): Promise<void> {
  const client = await openEmbedded({ dataDir, publicUrl: null, store: null })
  const call = client.call.bind(client)
  await call('webhook.create', { body: { url: 'http://127.0.0.1:9/hook', event_types: ['*'] } })
  await call('engine.seed', { body: { people: 3, days: 20, seed: 7, first: 1 } })
  await client.close()
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
  return plain.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

/** `pg` returns a bigint as a text. */
function plainEntry([name, value]: [string, unknown]): [string, unknown] {
  if (value instanceof Uint8Array) return [name, Buffer.from(value).toString('hex')]
  const isNumber = typeof value === 'string' && /^-?\d{1,15}$/.test(value)
  return [name, isNumber ? Number(value) : value]
}

/** Returns the rows that a copy takes over, as they should be in the copy. */
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

/** Returns the settings that a copy takes over. */
export function settingsOf(rows: Rows): Readonly<Record<string, unknown>> {
  const own = ['store_id', 'master_key_check', 'unfinished_copy']
  const settings = (rows.get('setting') ?? []).map(({ name, value }) => [`${name}`, value] as const)
  return Object.fromEntries(settings.filter(([name]) => !own.includes(name)))
}

/** Runs a copy without a progress bar. */
export function copyOf(
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

/** Opens the engine on a folder whatever store tests run over. */
export function openFolder(dataDir: string): Promise<OpenEngine> {
  return openEngine({ dataDir, store: null, waitForLock: 'blocking' })
}

/** Returns all problems that a check finds. */
export async function problemsOf(engine: OpenEngine): Promise<unknown[]> {
  const problems: unknown[] = []
  for await (const problem of engine.context.store.upkeep.check()) problems.push(problem)
  return problems
}
