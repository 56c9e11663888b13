/** One FIT data message: a view of its bytes, from which fields are read by number. */
import { type FieldPosition, findFieldType } from './fields.ts'

/** Number of the field with a message's time. */
export const TIMESTAMP = 253

/** A field that an app on the device added. */
export interface DeveloperField extends Omit<FieldPosition, 'baseType'> {
  readonly number: number
  readonly developerIndex: number
}

/** The definition of a local message number until it is redefined. */
export interface MessageDefinition {
  /** Number of the message in the profile; 20 is a record. */
  readonly number: number
  readonly littleEndian: boolean
  readonly fields: ReadonlyMap<number, FieldPosition>
  readonly developerFields: readonly DeveloperField[]
  readonly sizeBytes: number
}

/** A message, valid until the next one is requested. Values are raw, without the profile's scale and offset. */
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
  /** Byte position in the file at which the message starts. */
  at = 0
  /** Time of the message in seconds of the device: from its own field or a compressed header; undefined without either. */
  timestamp: number | undefined

  constructor(view: DataView) {
    this.view = view
  }

  /** Points the view to another message. Only for the reader. */
  show(definition: MessageDefinition, at: number, from: number): void {
    this.definition = definition
    this.at = at
    this.from = from
  }

  get number(): number {
    return this.definition.number
  }

  /** Whether the message has no fields at all, because its definition has none. */
  get isEmpty(): boolean {
    return this.definition.sizeBytes === 0
  }

  get developerFields(): readonly DeveloperField[] {
    return this.definition.developerFields
  }

  /** Returns the value of a field, or the first of several; undefined if it is absent or invalid. */
  get(field: number): number | undefined {
    const position = this.definition.fields.get(field)
    return position === undefined ? undefined : this.read(position, 0)
  }

  /** Returns all values of a field, with undefined for invalid ones. */
  list(field: number): (number | undefined)[] {
    const position = this.definition.fields.get(field)
    const size = position === undefined ? undefined : findFieldType(position.baseType)?.sizeBytes
    if (position === undefined || size === undefined) return []
    return Array.from({ length: Math.floor(position.sizeBytes / size) }, (_, i) => this.read(position, i * size))
  }

  /** Returns the raw bytes of a field. */
  bytes(field: number): Uint8Array | undefined {
    const position = this.definition.fields.get(field)
    return (
      position && new Uint8Array(this.view.buffer, this.view.byteOffset + this.from + position.at, position.sizeBytes)
    )
  }

  /** Returns a text up to its first zero byte; undefined if it is empty. */
  text(field: number): string | undefined {
    const bytes = this.bytes(field)
    const end = bytes?.indexOf(0) ?? -1
    const text = new TextDecoder().decode(end === -1 ? bytes : bytes?.subarray(0, end))
    return text === '' ? undefined : text
  }

  /** Returns the first value of a developer field. Its base type comes from its description. */
  developerValue(field: DeveloperField, baseType: number): number | undefined {
    return this.read({ ...field, baseType }, 0)
  }

  private read(position: FieldPosition, offset: number): number | undefined {
    const type = findFieldType(position.baseType)
    if (type === undefined || offset + type.sizeBytes > position.sizeBytes) return undefined
    return type.read(this.view, this.from + position.at + offset, this.definition.littleEndian)
  }
}
