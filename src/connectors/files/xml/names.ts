/** Names of elements and attributes that were read before, each with its usual successor, because most tags look like the previous one. */
import { COMPARED_BYTES, toDataView } from './byte-window.ts'
import { InternedTexts } from './interned-texts.ts'

/**
 * Attributes that are read from nearly every element. Each one has a fixed position (see `XmlAttributes.at`), so that it is found without
 * comparing names.
 */
export const SLOTS = {
  type: 0,
  sourceName: 1,
  device: 2,
  unit: 3,
  startDate: 4,
  endDate: 5,
  value: 6,
  key: 7,
} as const
export const SLOT_COUNT = Object.keys(SLOTS).length
export type AttributeSlot = (typeof SLOTS)[keyof typeof SLOTS]

export interface XmlName {
  readonly text: string
  /** The usual form of the name: `<Record` for an element, ` type="` for an attribute. */
  readonly literal: DataView
  /** The name's position in `PLACES`, or -1. */
  readonly slot: number
  /** The attribute that followed this name most recently. */
  follower: XmlName | undefined
}

/** Returns a cache for a document's element names, bounded like `InternedTexts`. */
export function elementNames(): InternedTexts<XmlName> {
  return new InternedTexts(text => ({ text, literal: literal(`<${text}`), slot: -1, follower: undefined }))
}

/** Returns a cache for a document's attribute names. */
export function attributeNames(): InternedTexts<XmlName> {
  const slots: ReadonlyMap<string, number> = new Map(Object.entries(SLOTS))
  return new InternedTexts(text => ({
    text,
    literal: literal(` ${text}="`),
    slot: slots.get(text) ?? -1,
    follower: undefined,
  }))
}

/** Returns whether a name is short enough to be compared using its literal. */
export function isComparable(name: XmlName): boolean {
  return name.literal.byteLength <= COMPARED_BYTES
}

function literal(text: string): DataView {
  return toDataView(Uint8Array.from(Buffer.from(text)))
}
