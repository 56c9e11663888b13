/** One FIT data message: a view of its bytes, from which fields are read by their numbers. */
import { type FieldPlace, fieldTypeOf } from './fields.ts'

/** The number of the field that holds a message's time. */
export const TIMESTAMP = 253

/** A field that an app on the device has added. */
export interface DeveloperField extends Omit<FieldPlace, 'baseType'> {
  readonly number: number
  readonly developerIndex: number
}

/** What a local message number stands for until it is defined again. */
export interface MessageDefinition {
  /** Number of the message in the profile: 20 is a record. */
  readonly number: number
  readonly littleEndian: boolean
  readonly fields: ReadonlyMap<number, FieldPlace>
  readonly developerFields: readonly DeveloperField[]
  readonly sizeBytes: number
}

/** Valid until the next message is asked for. Values are raw: without scale and offset of the profile. */
export class FitMessage {
  private readonly view: DataView
  private definition: MessageDefinition = {
    number: -1,
    littleEndian: true,
    fields: new Map(),
    developerFields: [],
    sizeBytes: 0,
  }
  private from = 0
  /** Where in the file the message begins. */
  at = 0
  /** Its time in seconds of the device: its own, that of a compressed header, or undefined. */
  timestamp: number | undefined

  constructor(view: DataView) {
    this.view = view
  }

  /** For the reader alone. */
  show(definition: MessageDefinition, at: number, from: number): void {
    this.definition = definition
    this.at = at
    this.from = from
  }

  get number(): number {
    return this.definition.number
  }

  /** Whether it has no field at all, as a definition without fields makes it. */
  get isEmpty(): boolean {
    return this.definition.sizeBytes === 0
  }

  get developerFields(): readonly DeveloperField[] {
    return this.definition.developerFields
  }

  /** The value of a field, the first where it has several; undefined where it is absent or says that there is none. */
  get(field: number): number | undefined {
    const place = this.definition.fields.get(field)
    return place === undefined ? undefined : this.read(place, 0)
  }

  /** All values of a field; undefined among them for those that say there is none. */
  list(field: number): (number | undefined)[] {
    const place = this.definition.fields.get(field)
    const size = place === undefined ? undefined : fieldTypeOf(place.baseType)?.sizeBytes
    if (place === undefined || size === undefined) return []
    return Array.from({ length: Math.floor(place.sizeBytes / size) }, (_, i) => this.read(place, i * size))
  }

  /** The bytes of a field as they are. */
  bytes(field: number): Uint8Array | undefined {
    const place = this.definition.fields.get(field)
    return place && new Uint8Array(this.view.buffer, this.view.byteOffset + this.from + place.at, place.sizeBytes)
  }

  /** A text up to its first zero; undefined when it is empty. */
  text(field: number): string | undefined {
    const bytes = this.bytes(field)
    const end = bytes?.indexOf(0) ?? -1
    const text = new TextDecoder().decode(end === -1 ? bytes : bytes?.subarray(0, end))
    return text === '' ? undefined : text
  }

  /** The first value of a developer field, whose base type its description states. */
  developerValue(field: DeveloperField, baseType: number): number | undefined {
    return this.read({ ...field, baseType }, 0)
  }

  private read(place: FieldPlace, offset: number): number | undefined {
    const type = fieldTypeOf(place.baseType)
    if (type === undefined || offset + type.sizeBytes > place.sizeBytes) return undefined
    return type.read(this.view, this.from + place.at + offset, this.definition.littleEndian)
  }
}
