/** Reads a push's body (JSON or NDJSON, optionally gzipped) as items, each with its position in the body. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { ByteSource } from '../../contract/kernel/operation.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { jsonShape, MOST_JSON_DEPTH } from '../../core/json-shape.ts'
import { formatCount } from '../../core/text.ts'

/** Maximum number of bytes in a body, before and after unpacking. */
export const PUSH_LIMIT_BYTES = 32 * 1024 * 1024
/** Maximum number of items in a body: samples, summaries and streams. */
export const PUSH_LIMIT_ITEMS = 100_000
/**
 * Limits for the values in a body. The parser uses up to 64 bytes of heap for an object and 24 for a number, so hostile input could exceed
 * any heap limit (24 MiB of `{},` needs 500 MB), and a thread that runs out of memory may crash the process.
 */
const MOST_NESTED = 1_000_000
const MOST_VALUES = 6_000_000
const MOST_NAMES = 10_000
/** A smaller body cannot exceed these limits, so its values are not counted. */
const LEAST_COUNTED_BYTES = 3 * MOST_NESTED

export interface PushedItem {
  readonly value: unknown
  /** `["body", "samples", 12]`, `["body", 12]` in a top-level list, or `["body", "line 13"]` in NDJSON. */
  readonly loc: readonly (string | number)[]
}

const LISTS = ['samples', 'summaries', 'streams'] as const
/** Fields of a single item that are not in a document with lists. */
const ITEM_FIELDS = ['resource', 'summary', 'stream'] as const

/**
 * Returns the items in a body. Throws ServiceError 413 if a limit is exceeded, and 422 for anything that is not JSON or NDJSON with items.
 */
export async function pushedItems(source: ByteSource, signal: AbortSignal | undefined): Promise<readonly PushedItem[]> {
  const bytes = await unpack(await collect(source, signal))
  refuseShape(bytes)
  return parseItems(decode(bytes))
}

/** Checks the limits before the body is parsed. */
function refuseShape(bytes: Buffer): void {
  if (bytes.length < LEAST_COUNTED_BYTES) return
  const { nested, values, names, depth } = jsonShape(bytes)
  if (depth > MOST_JSON_DEPTH) throw wrongBody(`must not be more than ${MOST_JSON_DEPTH} levels deep`)
  if (nested > MOST_NESTED || values > MOST_VALUES || names > MOST_NAMES) throw pushTooLarge()
}

function parseItems(text: string): PushedItem[] {
  const whole = tryJson(text)
  if (whole === undefined) return itemsOfLines(text)
  if (Array.isArray(whole)) return itemsOfList(whole, ['body'])
  if (typeof whole !== 'object' || whole === null) throw wrongBody('must be a list of items, or {"samples": […]}')
  if (ITEM_FIELDS.some(name => name in whole)) return [{ value: whole, loc: ['body', 'line 1'] }]
  return itemsOfDocument(whole as Readonly<Record<string, unknown>>)
}

function itemsOfDocument(document: Readonly<Record<string, unknown>>): PushedItem[] {
  const names = Object.keys(document)
  if (names.length === 0) throw wrongBody('must be a list of items, or {"samples": […]}')
  if (names.some(name => !(LISTS as readonly string[]).includes(name))) {
    throw wrongBody(`must have no fields except ${LISTS.join(', ')}, each of them a list`, 'extra_forbidden')
  }
  const items = LISTS.flatMap(name => {
    const list = document[name]
    if (list === undefined || list === null) return []
    if (!Array.isArray(list)) throw invalid([{ loc: ['body', name], msg: 'must be a list', type: 'list_type' }])
    return itemsOfList(list, ['body', name])
  })
  if (items.length > PUSH_LIMIT_ITEMS) throw pushTooLarge()
  return items
}

/** Counts the items before creating anything from them, because a 32 MiB list can contain 16 million items. */
function itemsOfList(list: readonly unknown[], loc: readonly string[]): PushedItem[] {
  if (list.length > PUSH_LIMIT_ITEMS) throw pushTooLarge()
  return list.map((value, i) => ({ value, loc: [...loc, i] }))
}

function itemsOfLines(text: string): PushedItem[] {
  const items: PushedItem[] = []
  let number = 0
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    const line = text.slice(from, end === -1 ? text.length : end)
    from += line.length + 1
    number++
    if (line.trim() === '') continue
    const value = tryJson(line)
    // the first line of a multi-line document is not an item either, so report that the whole body is not JSON
    if (value === undefined && items.length === 0) throw wrongBody('must be valid JSON or NDJSON', 'json_invalid')
    if (value === undefined) {
      throw invalid([{ loc: ['body', `line ${number}`], msg: 'must be valid JSON', type: 'json_invalid' }])
    }
    if (items.length === PUSH_LIMIT_ITEMS) throw pushTooLarge()
    items.push({ value, loc: ['body', `line ${number}`] })
  }
  if (items.length === 0) throw wrongBody('must not be empty. Send a list of items, or {"samples": […]}', 'missing')
  return items
}

/**
 * Reads the body. If reading stops early, a request's stream stays open, because destroying it would close the connection before the error
 * is sent.
 */
async function collect(source: ByteSource, signal: AbortSignal | undefined): Promise<Buffer> {
  const stream = source.kind === 'file' ? createReadStream(source.path) : source.stream
  const pieces = stream instanceof Readable ? stream.iterator({ destroyOnReturn: source.kind === 'file' }) : stream
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of pieces as AsyncIterable<Uint8Array>) {
    if (signal?.aborted) throw new ServiceError('cancelled', 'Cancelled; nothing was stored.')
    sizeBytes += chunk.length
    if (sizeBytes > PUSH_LIMIT_BYTES) throw pushTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Returns whether bytes are gzip, as shown by the first two. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

async function unpack(bytes: Buffer): Promise<Buffer> {
  if (!isGzip(bytes)) return bytes
  const { gunzip } = await import('node:zlib')
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: PUSH_LIMIT_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw pushTooLarge()
    throw damagedGzip()
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw wrongBody('must be valid UTF-8', 'json_invalid')
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // the parser's own message would quote the body
    return undefined
  }
}

/** Returns the error for a push whose gzip data is truncated or damaged. */
export function damagedGzip(): ServiceError {
  return wrongBody('cannot be unpacked, because its gzip is damaged')
}

function wrongBody(msg: string, type = 'value_error'): ServiceError {
  return invalid([{ loc: ['body'], msg, type }])
}

/** Returns the error for a push that exceeds a limit. */
export function pushTooLarge(): ServiceError {
  const limits = `${PUSH_LIMIT_BYTES / 1024 / 1024} MiB after unpacking and ${formatCount(PUSH_LIMIT_ITEMS)} items`
  // include the suggestion in the message, because a server sends no suggestions
  const instead =
    'Send it in parts, or import it as a file: POST /svc/v1/users/{user_id}/imports accepts NDJSON of any size.'
  return new ServiceError('body_too_large', `A push must have at most ${limits}. Nothing was stored. ${instead}`)
}
