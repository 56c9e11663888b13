/**
 * Responses that no provider sends unless it is broken or wants to do harm, as a table for the tests of every connector. The parts of a
 * response, such as the format of a page, come from the target (hostile-targets.ts).
 */
import type { ServerResponse } from 'node:http'
import { deflateSync, gzipSync } from 'node:zlib'
import type { FakeProviderResponse } from './fake-provider.ts'
import type { HostileTarget } from './hostile-targets.ts'

/** Outcome of a collection that got the response: the kind of its failure, or null if it has none. */
export type HostileOutcome = 'bad_answer' | 'unavailable' | null

export interface HostileResponse {
  readonly name: string
  /** Returns the response to the request with this number, from 0; or writes it itself. */
  readonly reply: (
    target: HostileTarget,
    request: number,
  ) => FakeProviderResponse | ((response: ServerResponse) => void)
  /** The correct outcomes. */
  readonly outcomes: readonly HostileOutcome[]
  /** How many samples of the attacked resource may be stored afterwards: those of the one good row, or none. */
  readonly stored: 'none' | 'row' | 'row or none'
  /** Only for targets with paged lists; the others ignore the pointer to the next page. */
  readonly needsPages?: boolean
}

const DEEP = 100_000
const MILLIONS = 10_000_000
const HOUR_MS = 3_600_000

const list = (target: HostileTarget, rows: readonly unknown[], next?: unknown): string =>
  JSON.stringify(target.page(rows, next))
const good = (target: HostileTarget): object => target.row(target.now - 30 * HOUR_MS)
const json = (body: string | Uint8Array): FakeProviderResponse => ({
  headers: { 'content-type': 'application/json' },
  body,
})

/** A page with one row, in which a field has this text as its JSON. */
function withRaw(target: HostileTarget, raw: string): FakeProviderResponse {
  return json(list(target, [{ ...good(target), hostile: '@' }]).replace('"@"', () => raw))
}

/** A page whose row has these JSON texts instead of its own values, in turn. */
function withValues(target: HostileTarget, ...raws: readonly string[]): FakeProviderResponse {
  let at = 0
  const row = JSON.stringify(good(target), (_name, value: unknown) => {
    return typeof value === 'object' ? value : `@${at++ % raws.length}`
  }).replace(/"@(\d+)"/g, (_all, i: string) => raws[Number(i)] ?? 'null')
  return json(list(target, ['@']).replace('"@"', () => row))
}

/** Writes pieces until the connection ends. */
function endless(response: ServerResponse, piece: Uint8Array, everyMs: number | null): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const write = (): void => {
    if (response.destroyed) return
    const isTaken = response.write(piece)
    if (everyMs !== null) setTimeout(write, everyMs).unref()
    else if (isTaken) setImmediate(write)
    else response.once('drain', write)
  }
  write()
}

/** Sends headers and the beginning of a body over the raw connection, and closes it. */
function broken(response: ServerResponse, headers: string, body: string): void {
  response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`)
}

const BAD = ['bad_answer'] as const
const AWAY = ['unavailable'] as const
const HARMLESS = [null] as const

const none = (
  name: string,
  outcomes: HostileResponse['outcomes'],
  reply: HostileResponse['reply'],
): HostileResponse => ({ name, outcomes, reply, stored: 'none' })
const paged = (name: string, reply: HostileResponse['reply']): HostileResponse => ({
  name,
  outcomes: BAD,
  reply,
  stored: 'row or none',
  needsPages: true,
})
const maybe = (name: string, reply: HostileResponse['reply']): HostileResponse => ({
  name,
  outcomes: ['bad_answer', null],
  reply,
  stored: 'row or none',
})

export const HOSTILE_RESPONSES: readonly HostileResponse[] = [
  none(`${DEEP} lists within one another`, BAD, target => withRaw(target, '['.repeat(DEEP) + ']'.repeat(DEEP))),
  none(`${DEEP} objects within one another`, BAD, target =>
    withRaw(target, `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`),
  ),
  none('lists that are never closed', BAD, target => withRaw(target, '['.repeat(DEEP))),
  none('ten million empty objects', BAD, target =>
    json(list(target, ['@']).replace('"@"', () => `{}${',{}'.repeat(MILLIONS - 1)}`)),
  ),
  none('a million copies of one row', BAD, target =>
    json(list(target, ['@']).replace('"@"', () => `${JSON.stringify(good(target))},`.repeat(200_000).slice(0, -1))),
  ),
  maybe('60,000 copies of one row', target => {
    const row = JSON.stringify(good(target))
    return json(list(target, ['@']).replace('"@"', () => `${`${row},`.repeat(59_999)}${row}`))
  }),
  { ...maybe('a thousand copies of one row', target => json(list(target, new Array(1_000).fill(good(target))))) },
  none('a text of 4 MiB', BAD, target => withRaw(target, `"${'x'.repeat(4 * 1024 * 1024)}"`)),
  none('numbers of 100,000 digits', HARMLESS, target => withValues(target, '9'.repeat(100_000))),
  none('numbers beyond every range', HARMLESS, target => withValues(target, '1e999', '-1e999')),
  none('NaN and Infinity', BAD, target => withValues(target, 'NaN', '-Infinity')),
  none('null', ['bad_answer', null], () => json('null')),
  none('a list of numbers', ['bad_answer', null], () => json('[1,2,3]')),
  none('a text', BAD, () => json('"OK"')),
  none('an object without anything', ['bad_answer', null], () => json('{}')),
  none('another type in every field', ['bad_answer', null], target =>
    withValues(target, '[]', '{}', 'true', 'null', '[[1]]', '{"a":{}}'),
  ),
  none('rows that are no objects', ['bad_answer', null], target => json(list(target, [null, 1, 'x', [], true]))),
  none('an empty body', ['bad_answer', null], () => json('')),
  none('half of the JSON', BAD, target => json(list(target, [good(target)]).slice(0, -20))),
  none('a page for people with status 200', AWAY, () => ({
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>Sign in</title>',
  })),
  {
    ...maybe('JSON that calls itself an image', t => ({
      headers: { 'content-type': 'image/png' },
      body: list(t, [good(t)]),
    })),
    outcomes: HARMLESS,
    stored: 'row',
  },
  none('gzip that unpacks to 48 MiB', BAD, () => ({
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: bomb(),
  })),
  none('deflated bytes that call themselves gzip', BAD, target => ({
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: deflateSync(list(target, [good(target)])),
  })),
  none('a byte now and then, without an end', AWAY, () => response => endless(response, Buffer.from(' '), 20)),
  none('spaces without an end', BAD, () => response => endless(response, Buffer.alloc(256 * 1024, ' '), null)),
  none('a connection that breaks off', AWAY, target => response => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(list(target, [good(target)]).slice(0, 10))
    setTimeout(() => response.destroy(), 10)
  }),
  none(
    'less than its length says',
    AWAY,
    target => response => broken(response, 'content-length: 100000', list(target, [good(target)])),
  ),
  maybe('a byte order mark', target => json(`\ufeff${list(target, [good(target)])}`)),
  none('bytes that are not UTF-8', BAD, target =>
    json(Buffer.from(list(target, [{ ...good(target), hostile: 'x\u00ff' }]), 'latin1')),
  ),
  maybe('half of a surrogate pair, and NUL', target => {
    const texts = new Map(Object.entries(good(target)).filter(([, value]) => typeof value === 'string'))
    const [name = 'hostile'] = [...texts.keys()].slice(-1)
    return json(list(target, [{ ...good(target), [name]: '@' }]).replace('"@"', () => '"\\ud800\\u0000"'))
  }),
  maybe('names of prototypes', target =>
    json(
      list(target, [good(target)]).replace(
        '{',
        '{"__proto__":{"data":[1],"polluted":1},"constructor":{"prototype":{"polluted":1}},',
      ),
    ),
  ),
  maybe('the same name twice', target =>
    json(list(target, [good(target)]).replace('{', '{"data":1,"records":{},"body":[],')),
  ),
  paged('a list that names the same page again', target => json(list(target, [good(target)], 'next'))),
  paged('a list that always names another page', (target, n) => json(list(target, [good(target)], `next-${n}`))),
  paged('empty pages without an end', (target, n) => json(list(target, [], `next-${n}`))),
  paged('the next page as an object', target => json(list(target, [good(target)], { a: [1] }))),
  paged('a name of the next page of 1 MiB', target => json(list(target, [good(target)], 'n'.repeat(1024 * 1024)))),
  none('times that no clock has', ['bad_answer', null], target => json(list(target, target.badRows))),
  none('times far in the future', ['bad_answer', null], target =>
    json(list(target, [target.row(Date.UTC(2400, 0, 1))])),
  ),
  none('a redirect elsewhere', BAD, () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/elsewhere' } })),
  none('a redirect to itself', BAD, target => ({ status: 307, headers: { location: target.path } })),
  none('status 204', ['bad_answer', null], () => ({ status: 204 })),
  none('status 599', AWAY, () => ({ status: 599, body: '['.repeat(DEEP) })),
  none('another protocol', ['unavailable', 'bad_answer'], () => response => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
  }),
  none(
    'headers of 1 MiB',
    AWAY,
    target => response => broken(response, `x-hostile: ${'h'.repeat(1024 * 1024)}`, list(target, [good(target)])),
  ),
]

let packed: Buffer | undefined

/** Returns 48 MiB of spaces, compressed. */
function bomb(): Buffer {
  packed ??= gzipSync(Buffer.alloc(48 * 1024 * 1024, ' '), { level: 9 })
  return packed
}
