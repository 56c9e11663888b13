/** A view of a provider's record for mappings. It tracks which fields were read, so that all others are counted as unmapped. */
import { asList, asNumber, asObject, asText, type JsonObject, objectsIn } from '../shared/json-fields.ts'

/** A provider and the counting rules for its records. */
export interface RecordForm {
  readonly provider: string
  /** Names of fields with the record's ID, its sender or the time when it was written. They are not values and are never counted. */
  readonly ignored: ReadonlySet<string>
  /** Whether nested objects' fields are counted individually by path. Otherwise, an object counts as one field. */
  readonly countsNested: boolean
}

/** Counts values without a mapping. */
interface Counter {
  readonly form: RecordForm
  skip(kind: string): void
}

const MOST_DEPTH = 4
const NAME = /^[\w-]{1,40}$/

/** Reads a record. In all methods, a path such as `score.strain` refers to a nested object's field. */
export class RecordView {
  readonly fields: JsonObject
  private readonly kind: string
  private readonly page: Counter
  /** Fields that were read as a whole. This is an array, because a record has few fields and a Set costs more to create. */
  private readonly seen: string[] = []
  /** Objects from which individual fields were read. */
  private parts: Map<string, RecordView> | null = null
  private isLeftOut = false

  constructor(fields: JsonObject, kind: string, page: Counter) {
    this.fields = fields
    this.kind = kind
    this.page = page
  }

  /** Returns a field's whole value, or undefined. */
  value(path: string): unknown {
    const dot = path.indexOf('.')
    if (dot !== -1) return this.part(path.slice(0, dot))?.value(path.slice(dot + 1))
    this.seen.push(path)
    return this.fields[path]
  }

  /** Returns a number, or the number in a text, written as in JSON. */
  number(path: string): number | undefined {
    const found = asNumber(this.value(path))
    return found !== undefined && Number.isFinite(found) ? found : undefined
  }

  text(path: string): string | undefined {
    return asText(this.value(path))
  }

  /** Returns a non-empty text, or a number as text. */
  id(path: string): string | undefined {
    const value = this.value(path)
    return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined
  }

  object(path: string): JsonObject | undefined {
    return asObject(this.value(path))
  }

  list(path: string): readonly unknown[] {
    return asList(this.value(path))
  }

  /** Returns the objects in a list, and omits everything else in it. */
  objects(path: string): readonly JsonObject[] {
    return objectsIn(this.value(path))
  }

  /** Counts the record itself as unmapped, instead of its fields. */
  leaveOut(why: string): void {
    this.isLeftOut = true
    this.page.skip(`${this.kind} ${why}`)
  }

  /** Counts the fields that have a value and were not read. */
  countUnread(): void {
    if (!this.isLeftOut) this.count(this.fields, this, this.kind, 0)
  }

  private part(name: string): RecordView | undefined {
    const known = this.parts?.get(name)
    if (known !== undefined) return known
    const fields = asObject(this.fields[name])
    if (fields === undefined) return undefined
    const made = new RecordView(fields, this.kind, this.page)
    this.parts ??= new Map()
    this.parts.set(name, made)
    return made
  }

  /** `view` is null inside an object from which nothing was read. */
  private count(fields: JsonObject, view: RecordView | null, path: string, depth: number): void {
    const { page } = this
    const { ignored, countsNested } = page.form
    for (const name in fields) {
      const value = fields[name]
      if (value === null || value === '' || view?.seen.includes(name) || ignored.has(name)) continue
      const part = view?.parts?.get(name) ?? null
      if (!countsNested) {
        if (part === null) page.skip(`${path}.${name}`)
      } else if (!NAME.test(name)) page.skip(`${path} (others)`)
      else {
        const object = depth < MOST_DEPTH ? asObject(value) : undefined
        if (object === undefined) page.skip(`${path}.${name}`)
        else this.count(object, part, `${path}.${name}`, depth + 1)
      }
    }
  }
}
