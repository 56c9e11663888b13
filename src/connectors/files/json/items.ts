/**
 * Streaming JSON splitter: yields the values inside selected containers one by one, for files of any size. Reads by index are unchecked
 * (`as number`), because the loops are hot and stay in range.
 */
import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../../../core/errors.ts'
import { TextStart } from '../bytes/text-encoding.ts'
import { JsonCapture, MOST_VALUE_BYTES } from './capture.ts'

/** Returns the bytes' JSON value, or undefined if they are not JSON. */
export type ParseJson = (bytes: Uint8Array) => { readonly value: unknown } | undefined

export type JsonPath = readonly (string | number)[]

export type JsonEvent =
  /** `byte` is the value's start position in the file. */
  | { readonly kind: 'value'; readonly path: JsonPath; readonly byte: number; readonly value: unknown }
  /** A value that is not valid JSON although its brackets match. It counts as one bad record. */
  | { readonly kind: 'broken'; readonly path: JsonPath; readonly byte: number }
  /** The end of a document. Another document may follow. */
  | { readonly kind: 'end'; readonly byte: number }

/** Containers to descend into, by path. `*` matches any key or index. The document itself is always descended into. */
interface PathTree {
  readonly children: ReadonlyMap<string, PathTree>
}

interface Frame {
  readonly tree: PathTree
  readonly isArray: boolean
  /** Key of the current member. */
  key: string
  index: number
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const MOST_KEY_BYTES = 4096

/**
 * Reads bytes in pieces of any size; `take` returns the events so far. Documents may follow one another. Throws ServiceError
 * `invalid_file`, with the byte, for anything between values that is not JSON, and for a value over 16 MiB or nested deeper than 64 levels;
 * `end` throws it for a truncated file. The events before the error can still be taken.
 */
export class JsonItems {
  private events: JsonEvent[] = []
  private readonly root: PathTree
  private readonly onlyAt: number | undefined
  private readonly parse: ParseJson
  private readonly frames: Frame[] = []
  private expected: Expected = 'value'
  private capture: JsonCapture | undefined
  private isKey = false
  /** Number of bytes in this document's object members, which a reader may keep in memory. */
  private memberBytes = 0
  /** Number of bytes written before the current piece. */
  private before = 0
  private readonly start = new TextStart()

  /**
   * `containers` contains paths such as `data.metrics.*.data`; the containers along these paths are also descended into. With `onlyAt`,
   * only values inside exactly that many containers are returned; all others are skipped without being parsed. `parse` reads a value.
   */
  constructor(containers: readonly string[], onlyAt?: number, parse: ParseJson = parseUtf8Json) {
    this.parse = parse
    this.root = buildPathTree(containers.map(path => path.split('.')))
    this.onlyAt = onlyAt
  }

  take(): readonly JsonEvent[] {
    const events = this.events
    this.events = []
    return events
  }

  write(bytes: Uint8Array): void {
    this.scan(this.start.next(bytes))
  }

  end(): void {
    this.scan(this.start.rest())
    // a number at the very end of a document is not followed by a character that ends it
    if (this.capture?.isScalar) this.finishCapture()
    if (this.capture !== undefined || this.frames.length > 0) throw cutOff(this.before)
  }

  private scan(bytes: Uint8Array): void {
    if (this.before === 0) this.before = this.start.markBytes
    let i = 0
    while (i < bytes.length) {
      if (this.capture !== undefined) {
        i = this.capture.feed(bytes, i)
        if (this.capture.isDone) this.finishCapture()
        continue
      }
      const byte = bytes[i] as number
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
        // the first byte of a captured value is passed to its capture
        if (this.step(byte, this.before + i)) continue
      }
      i++
    }
    this.before += bytes.length
  }

  /** Handles a byte between values. Returns true if the byte starts a value that is captured. */
  private step(byte: number, at: number): boolean {
    const frame = this.frames.at(-1)
    switch (this.expected) {
      case 'colon':
        if (byte !== COLON) throw malformed('a colon is missing', at)
        this.expected = 'value'
        return false
      case 'comma or end':
        if (byte === COMMA) this.expected = frame?.isArray ? 'value' : 'key'
        else this.close(byte, at)
        return false
      case 'key':
      case 'key or end':
        if (byte === QUOTE) return this.begins(at, true)
        if (this.expected === 'key') throw malformed('a key is missing', at)
        this.close(byte, at)
        return false
      default:
        return this.value(byte, at)
    }
  }

  private value(byte: number, at: number): boolean {
    if (byte === CLOSE_ARRAY && this.expected === 'value or end') {
      this.close(byte, at)
      return false
    }
    if (byte === COMMA || byte === COLON || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      throw malformed('a value is missing', at)
    }
    const tree = this.treeOfValue()
    const isContainer = byte === OPEN_ARRAY || byte === OPEN_OBJECT
    if (tree === undefined || !isContainer) return this.begins(at, false)
    const isArray = byte === OPEN_ARRAY
    this.frames.push({ tree, isArray, key: '', index: 0 })
    this.expected = isArray ? 'value or end' : 'key or end'
    return false
  }

  private treeOfValue(): PathTree | undefined {
    const frame = this.frames.at(-1)
    if (frame === undefined) return this.root
    const { children } = frame.tree
    return (frame.isArray ? undefined : children.get(frame.key)) ?? children.get('*')
  }

  private begins(at: number, isKey: boolean): true {
    this.isKey = isKey
    const isKept = isKey || this.isWanted
    this.capture = new JsonCapture(at, isKey ? MOST_KEY_BYTES : MOST_VALUE_BYTES, isKept)
    return true
  }

  private get isWanted(): boolean {
    return this.onlyAt === undefined || this.frames.length === this.onlyAt
  }

  private finishCapture(): void {
    const { byte, bytes, size } = this.capture as JsonCapture
    this.capture = undefined
    const frame = this.frames.at(-1)
    if (this.isKey) {
      const key = parseUtf8Json(bytes)
      if (key === undefined) throw malformed('a key cannot be read', byte)
      ;(frame as Frame).key = key.value as string
      this.expected = 'colon'
      return
    }
    if (!this.isWanted) {
      this.passed(byte + size)
      return
    }
    if (frame?.isArray === false) this.memberBytes += bytes.length
    if (this.memberBytes > MOST_VALUE_BYTES)
      throw malformed('a document contains more than 16 MiB outside of its lists', byte)
    const path = this.frames.map(each => (each.isArray ? each.index : each.key))
    const value = this.parse(bytes)
    this.events.push(value ? { kind: 'value', path, byte, value: value.value } : { kind: 'broken', path, byte })
    this.passed(byte + size)
  }

  private close(byte: number, at: number): void {
    const frame = this.frames.pop()
    if (frame === undefined || byte !== (frame.isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) {
      throw malformed(`a comma or ${frame?.isArray ? ']' : '}'} is missing`, at)
    }
    this.passed(at + 1)
  }

  /** Continues after the end of a value. */
  private passed(at: number): void {
    const frame = this.frames.at(-1)
    if (frame === undefined) {
      this.events.push({ kind: 'end', byte: at })
      this.memberBytes = 0
      this.expected = 'value'
      return
    }
    frame.index++
    this.expected = 'comma or end'
  }
}

function buildPathTree(paths: readonly (readonly string[])[]): PathTree {
  const byKey = new Map<string, (readonly string[])[]>()
  for (const [key, ...rest] of paths) {
    if (key === undefined || key === '') continue
    byKey.set(key, [...(byKey.get(key) ?? []), rest])
  }
  return { children: new Map([...byKey].map(([key, rest]) => [key, buildPathTree(rest)])) }
}

/** Returns the bytes' JSON value, or undefined if they are not JSON in UTF-8. */
export function parseUtf8Json(bytes: Uint8Array): { readonly value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined
  try {
    return { value: JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) }
  } catch {
    return undefined
  }
}

export function malformed(what: string, at: number): ServiceError {
  return new ServiceError('invalid_file', `The file is not well-formed JSON: ${what} at byte ${at}.`, {
    suggestions: ['Export the data again and import the file unchanged.'],
  })
}

function cutOff(at: number): ServiceError {
  return new ServiceError('invalid_file', `The file is cut off: it ends at byte ${at}, inside a JSON document.`, {
    suggestions: ['Export the data again and import the whole file.'],
  })
}
