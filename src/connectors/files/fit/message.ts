/** A FIT data message, as a view of its bytes from which fields are read by number. */
import { type FieldPosition, findFieldType } from './fields.ts'

/** Number of the field with a message's time. */
export const TIMESTAMP = 253

/** A field added by an app on the device. */
export interface DeveloperField extends Omit<FieldPosition, 'baseType'> {
  readonly number: number
  readonly developerIndex: number
}

/** The definition of a local message number, valid until the number is redefined. */
export interface MessageDefinition {
  /** The message's number in the profile; 20 is a record. */
  readonly number: number
  readonly littleEndian: boolean
  readonly fields: ReadonlyMap<number, FieldPosition>
  readonly developerFields: readonly DeveloperField[]
  readonly sizeBytes: number
}

/** A message, valid until the next one is requested. Values are raw: the profile's scale and offset are not applied. */
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
  /** Byte position of the message's start in the file. */
  at = 0
  /** The message's time in device seconds, from its own field or a compressed header; undefined if it has neither. */
  timestamp: number | undefined

  constructor(view: DataView) {
    this.view = view
  }

  /** Points the view to another message. Called only by the reader. */
  show(definition: MessageDefinition, at: number, from: number): void {
    this.definition = definition
    this.at = at
    this.from = from
  }

  get number(): number {
    return this.definition.number
  }

  /** Whether the message has no fields, because its definition has none. */
  get isEmpty(): boolean {
    return this.definition.sizeBytes === 0
  }

  get developerFields(): readonly DeveloperField[] {
    return this.definition.developerFields
  }

  /** Returns a field's value, or the first of several; undefined if it is absent or invalid. */
  get(field: number): number | undefined {
    const position = this.definition.fields.get(field)
    return position === undefined ? undefined : this.read(position, 0)
  }

  /** Returns all of a field's values, with undefined for invalid ones. */
  list(field: number): (number | undefined)[] {
    const position = this.definition.fields.get(field)
    const size = position === undefined ? undefined : findFieldType(position.baseType)?.sizeBytes
    if (position === undefined || size === undefined) return []
    return Array.from({ length: Math.floor(position.sizeBytes / size) }, (_, i) => this.read(position, i * size))
  }

  /** Returns a field's raw bytes. */
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

  /** Returns a developer field's first value. The base type comes from the field's description. */
  developerValue(field: DeveloperField, baseType: number): number | undefined {
    return this.read({ ...field, baseType }, 0)
  }

  private read(position: FieldPosition, offset: number): number | undefined {
    const type = findFieldType(position.baseType)
    if (type === undefined || offset + type.sizeBytes > position.sizeBytes) return undefined
    return type.read(this.view, this.from + position.at + offset, this.definition.littleEndian)
  }
}
