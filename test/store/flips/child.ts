/** A process that goes through many flips: it opens a folder with one bit changed, reads everything, checks, writes, reads again. */
import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ServiceError } from '../../../src/core/errors.ts'
import { seededRandom } from '../../../src/core/random.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { type OpenEngine, openEngine } from '../../../src/engine/open.ts'
import { type Ask, RUNS_QUERIES } from './reads.ts'
import { changedTables, type Tables } from './tables.ts'

export interface Flip {
  readonly base: number
  readonly file: 'svc.db' | 'svc.db-wal'
  readonly at: number
  readonly bit: number
  /** The table of the byte or of its index. Null: all operations may read it. */
  readonly table: string | null
  /** Whether the check is run too. */
  readonly isChecked: boolean
}

export interface Base {
  readonly folder: string
  readonly database: Uint8Array
  readonly wal: Uint8Array | null
  readonly asks: readonly Ask[]
  readonly push: Ask
}

export interface Verdict {
  /** Operations with a wrong response other than `data_damaged`, before and after the write, with the response. */
  readonly wrong: readonly string[]
  readonly bugs: readonly string[]
  readonly isOpened: boolean
  readonly isDamaged: boolean
  /** Null: no check was run. */
  readonly isFound: boolean | null
}

const NOW = Date.UTC(2026, 10, 20, 12)
const DAMAGED = 'data_damaged'

/** Returns the response of an operation, condensed into one word. */
async function responseDigest(engine: OpenEngine, ask: Ask): Promise<string> {
  try {
    const reply = await runOperation(engine.context, ask.id as never, {
      input: { params: ask.params ?? {}, query: ask.query ?? {}, body: requestBody(ask), headers: {} },
      credentials: { kind: 'team', team: await engine.localTeam(), linkToken: null },
      accept: ask.accept ?? 'application/json',
    })
    const hash = createHash('sha1')
    if (reply.kind === 'json') return hash.update(JSON.stringify(reply.body)).digest('hex')
    if (reply.kind === 'empty') return 'empty'
    if (reply.bytes instanceof Uint8Array) return hash.update(reply.bytes).digest('hex')
    for await (const piece of reply.bytes) hash.update(piece)
    return hash.digest('hex')
  } catch (error) {
    if (error instanceof ServiceError) return error.code
    return `bug ${error instanceof Error ? (error.stack ?? '').split('\n').slice(0, 4).join(' | ') : 'that is no error'}`
  }
}

/** Pushes have a body of bytes. */
function requestBody({ id, body }: Ask): unknown {
  if (id !== 'samples.push') return body
  return { kind: 'stream', stream: Readable.from([Buffer.from(JSON.stringify(body))]) }
}

/** Null for operations that were not called. */
async function responseDigests(
  engine: OpenEngine,
  base: Base,
  isAsked: (ask: Ask) => boolean = () => true,
): Promise<(string | null)[]> {
  const digests: (string | null)[] = []
  for (const ask of base.asks) digests.push(isAsked(ask) ? await responseDigest(engine, ask) : null)
  return digests
}

/** Returns whether the write may have changed the response: true for everything except other users. */
function isTouched({ push }: Base, { params, query }: Ask): boolean {
  const userId = params?.['user_id'] ?? query?.['user_id']
  return userId === undefined || userId === push.params?.['user_id']
}

function open(base: Base): Promise<OpenEngine> {
  return openEngine({
    dataDir: base.folder,
    waitForLock: 'blocking',
    time: { now: () => NOW },
    random: seededRandom('flips'),
  } as never)
}

function put(base: Base, flip: Flip | null): void {
  for (const name of ['svc.db', 'svc.db-wal', 'svc.db-shm']) rmSync(join(base.folder, name), { force: true })
  for (const [name, bytes] of [
    ['svc.db', base.database],
    ['svc.db-wal', base.wal],
  ] as const) {
    if (bytes === null) continue
    const copy = Buffer.from(bytes)
    if (flip?.file === name) copy[flip.at] = (copy[flip.at] as number) ^ (1 << flip.bit)
    writeFileSync(join(base.folder, name), copy)
  }
}

interface Expected {
  readonly before: readonly (string | null)[]
  readonly after: readonly (string | null)[]
  /** The tables of each call, and the tables of the write. */
  readonly asks: readonly Tables[]
  readonly push: Tables
}

const isRefusal = (digest: string): boolean => !/^[\da-f]{40}$/.test(digest)

async function readExpected(base: Base): Promise<Expected> {
  put(base, null)
  const engine = await open(base)
  const before = await responseDigests(engine, base)
  const pushed = await responseDigest(engine, base.push)
  const after = await responseDigests(engine, base)
  await engine.close()
  const bad = [...before, pushed, ...after].find(each => each?.startsWith('bug') || each === DAMAGED)
  if (bad !== undefined || isRefusal(pushed)) throw new Error(`without a flip: ${bad ?? pushed}`)
  const asks: Tables[] = []
  put(base, null)
  for (const ask of base.asks) asks.push(await changedTables(base.folder, () => once(base, ask)))
  return { before, after, asks, push: await changedTables(base.folder, () => once(base, base.push)) }
}

/** Makes a call in a newly opened folder, without cached data from other calls. */
async function once(base: Base, ask: Ask): Promise<void> {
  const engine = await open(base)
  await responseDigest(engine, ask)
  await engine.close()
}

/**
 * Returns the calls whose response may differ after a flip in this table: they read it, or they read data that one of `writing` wrote after
 * reading it. A call that writes is always made.
 */
function reachedBy(table: string | null, base: Base, asks: readonly Tables[], writing = asks): (ask: Ask) => boolean {
  if (table === null) return () => true
  const reached = new Set([table])
  const isReading = ({ named }: Tables): boolean => named.some(each => reached.has(each))
  for (const call of writing) if (isReading(call)) for (const each of call.written) reached.add(each)
  const isMade = asks.map(call => call.written.length > 0 || isReading(call))
  return ask => isMade[base.asks.indexOf(ask)] === true
}

/** Their responses contain random values or the size of the log. */
const OF_THE_FILE: readonly string[] = ['audit.list', 'engine.status']

/** The event of a refused run is missing, and later ones have other numbers. */
const OF_EVENTS: readonly string[] = ['engine.status', 'event.list']

async function judge(base: Base, expected: Expected, flip: Flip): Promise<Verdict> {
  const wrong: string[] = []
  const bugs: string[] = []
  let isDamaged = false
  let isRunRefused = false
  const compare = (
    when: 'before' | 'after',
    digests: readonly (string | null)[],
    right: readonly (string | null)[],
  ): void => {
    digests.forEach((digest, i) => {
      const ask = base.asks[i] as Ask
      if (digest === null || (isRunRefused && OF_EVENTS.includes(ask.id))) return
      if (digest === DAMAGED) isDamaged = true
      else if (digest.startsWith('bug')) bugs.push(`${when} ${ask.id}: ${digest}`)
      else if (digest !== right[i] && !(when === 'after' && OF_THE_FILE.includes(ask.id)))
        wrong.push(`${when} ${ask.id} ${JSON.stringify(ask.params ?? ask.query ?? {})}: ${digest}`)
    })
  }
  put(base, flip)
  let engine: OpenEngine
  try {
    engine = await open(base)
  } catch (error) {
    const isSaid = error instanceof ServiceError
    if (!isSaid) bugs.push(`open: ${(error as Error).stack}`)
    const isRefused = isSaid && (error.code === DAMAGED || error.code === 'data_too_new')
    if (isSaid && !isRefused) wrong.push(`open: ${error.code}`)
    return { wrong, bugs, isOpened: false, isDamaged: true, isFound: true }
  }
  try {
    const before = await responseDigests(engine, base, reachedBy(flip.table, base, expected.asks))
    isRunRefused = base.asks.some((ask, i) => ask.id === RUNS_QUERIES && before[i] === DAMAGED)
    compare('before', before, expected.before)
    let isFound: boolean | null = null
    if (flip.isChecked)
      try {
        const reply = await runOperation(engine.context, 'engine.check', {
          input: { params: {}, query: {}, body: undefined, headers: {} },
          credentials: { kind: 'team', team: await engine.localTeam(), linkToken: null },
          accept: 'application/json',
        })
        isFound = reply.kind === 'json' && !(reply.body as { ok: boolean }).ok
      } catch (error) {
        isFound = true
        if (!(error instanceof ServiceError)) bugs.push(`check: ${(error as Error).stack}`)
        else if (error.code !== DAMAGED) wrong.push(`check: ${error.code}`)
      }
    const pushed = await responseDigest(engine, base.push)
    if (pushed.startsWith('bug')) bugs.push(`push: ${pushed}`)
    // a refused push left everything unchanged
    const right = isRefusal(pushed) ? expected.before : expected.after
    const isReached = reachedBy(flip.table, base, expected.asks, [...expected.asks, expected.push])
    compare('after', await responseDigests(engine, base, ask => isReached(ask) && isTouched(base, ask)), right)
    return { wrong, bugs, isOpened: true, isDamaged, isFound }
  } finally {
    await engine.close().catch(() => {})
  }
}

const bases: Base[] = []
const expected: Expected[] = []
process.on('message', (message: { readonly bases: readonly Base[] } | { readonly flip: Flip }) => {
  const work = async (): Promise<unknown> => {
    if ('bases' in message) {
      for (const base of message.bases) {
        bases.push(base)
        expected.push(await readExpected(base))
      }
      return 'ready'
    }
    return judge(bases[message.flip.base] as Base, expected[message.flip.base] as Expected, message.flip)
  }
  work().then(
    digest => process.send?.({ answer: digest }),
    error => process.send?.({ failed: `${(error as Error).stack}` }),
  )
})
