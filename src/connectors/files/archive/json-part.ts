/** Reads the elements of a JSON list in an archive, or whole documents, as records. */
import { type JsonEvent, JsonItems, parseUtf8Json } from '../json/items.ts'
import { JsonElement } from './record.ts'

/** A record, or null if it cannot be read, with its number in the part. */
interface Element {
  readonly record: JsonElement | null
  readonly position: number
}

export class JsonPart {
  readonly positionName = 'entry'
  private readonly items: JsonItems
  /** Number of containers around an element; null if documents are records. */
  private readonly depth: number | null
  private members = new Map<string, unknown>()
  private isBroken = false
  private count = 0

  /** `list` is the path of the lists; undefined if documents are records, whose lists must then be small. */
  constructor(list?: string) {
    this.depth = list === undefined ? null : list === '' ? 1 : list.split('.').length + 1
    this.items = new JsonItems(list ? [list] : [], undefined, parseWithNaN)
  }

  write(bytes: Uint8Array): void {
    this.items.write(bytes)
  }

  end(): void {
    this.items.end()
  }

  *take(): Generator<Element> {
    for (const event of this.items.take()) {
      if (this.depth === null) yield* this.documents(event)
      else if (event.kind !== 'end' && event.path.length === this.depth && typeof event.path.at(-1) === 'number') {
        this.count++
        yield { record: event.kind === 'value' ? new JsonElement(event.value) : null, position: this.count }
      }
    }
  }

  /** Returns the elements that have been read, without the broken ones. */
  values(): readonly unknown[] {
    return this.items.take().flatMap(event => (event.kind === 'value' && event.path.length === 1 ? [event.value] : []))
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
