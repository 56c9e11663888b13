/** Reads the elements of a JSON list in an archive, or whole documents, as records. */
import { isUtf8 } from 'node:buffer'
import { type JsonEvent, JsonItems, parseUtf8Json } from '../json/items.ts'
import { JsonElement } from './record.ts'

/** A record, or null if it cannot be read, with its number in the part. */
interface Element {
  readonly record: JsonElement | null
  readonly position: number
}

/** Maximum size of a list that is parsed at once, which is several times faster. A list of this size that is only brackets is harmless. */
const MOST_AT_ONCE = 2 * 1_048_576
const MOST_DEPTH = 64

/** Lists of any size are read element by element, small ones at once. Errors are those of `JsonItems`. */
export class JsonPart {
  readonly positionName = 'entry'
  private readonly items: JsonItems
  /** Number of containers around an element; null if documents are records. */
  private readonly depth: number | null
  private members = new Map<string, unknown>()
  private isBroken = false
  private hasOther = false
  private isAtEnd = false
  private count = 0
  /** The bytes of a small list until its end; null for any other part. */
  private held: Buffer[] | null
  private elements: readonly unknown[] = []

  /** `list` is the path of the lists; undefined if documents are records, whose lists must then be small. */
  constructor(list: string | undefined, sizeBytes: number) {
    this.held = list === '' && sizeBytes <= MOST_AT_ONCE ? [] : null
    this.depth = list === undefined ? null : list === '' ? 1 : list.split('.').length + 1
    this.items = new JsonItems(list ? [list] : [], undefined, parseWithNaN)
  }

  write(bytes: Uint8Array): void {
    if (this.held === null) this.items.write(bytes)
    else this.held.push(Buffer.from(bytes))
  }

  end(): void {
    if (this.held !== null) {
      const bytes = Buffer.concat(this.held)
      this.held = null
      const list = parsedList(bytes)
      if (list !== null) {
        this.elements = list
        return
      }
      // this finds what is wrong, and the elements before it
      this.items.write(bytes)
    }
    this.items.end()
    this.isAtEnd = true
  }

  *take(): Generator<Element> {
    for (const element of this.elements) yield { record: new JsonElement(element), position: ++this.count }
    this.elements = []
    for (const event of this.items.take()) {
      if (this.depth === null) yield* this.documents(event)
      else if (event.kind !== 'end' && event.path.length === this.depth && typeof event.path.at(-1) === 'number') {
        this.count++
        yield { record: event.kind === 'value' ? new JsonElement(event.value) : null, position: this.count }
      } else if (event.kind !== 'end') this.hasOther = true
    }
    // a document with other contents than the list, which a newer version may have
    if (this.isAtEnd && this.count === 0 && this.hasOther) yield { record: null, position: 1 }
  }

  /** Collects the members of a document. A list that is the document has no members, and its elements are documents. */
  private *documents(event: JsonEvent): Generator<Element> {
    const key = event.kind === 'end' ? undefined : event.path[0]
    if (typeof key === 'string') {
      if (event.kind === 'value') this.members.set(key, event.value)
      else this.isBroken = true
      return
    }
    if (event.kind === 'end' && this.members.size === 0 && !this.isBroken) return
    const value = event.kind === 'value' ? event.value : Object.fromEntries(this.members)
    const isBroken = this.isBroken || event.kind === 'broken'
    this.members = new Map()
    this.isBroken = false
    this.count++
    yield { record: isBroken ? null : new JsonElement(value), position: this.count }
  }
}

/** Returns a list that is correct and not nested too deeply; null for anything else. */
function parsedList(bytes: Buffer): readonly unknown[] | null {
  if (!isUtf8(bytes)) return null
  try {
    const list: unknown = JSON.parse(bytes.toString('utf8'))
    return Array.isArray(list) && list.every(each => isShallow([each], 1)) ? list : null
  } catch {
    return null
  }
}

/** Values that are not containers are not visited, and lists of values not made, because there are millions of small objects. */
function isShallow(container: object, depth: number): boolean {
  if (depth > MOST_DEPTH) return false
  for (const key in container) {
    const value = (container as Readonly<Record<string, unknown>>)[key]
    if (typeof value === 'object' && value !== null && !isShallow(value, depth + 1)) return false
  }
  return true
}

const NOT_JSON = /-?\b(?:NaN|Infinity)\b/g

/** Some providers write NaN, which JSON does not have. It is read as null, but not inside strings. */
function parseWithNaN(bytes: Uint8Array): { readonly value: unknown } | undefined {
  const parsed = parseUtf8Json(bytes)
  if (parsed !== undefined) return parsed
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  if (text.search(NOT_JSON) === -1) return undefined
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    parts.push(text.slice(at, quote === -1 ? text.length : quote).replaceAll(NOT_JSON, 'null'))
    if (quote === -1) break
    let end = quote + 1
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
    at = end + 1
    parts.push(text.slice(quote, at))
  }
  return parseUtf8Json(Buffer.from(parts.join('')))
}
