/** Names of elements and attributes that were read before, and what usually follows each: most tags look like the last. */
import { COMPARED_BYTES, viewOf } from './byte-window.ts'
import { InternedTexts } from './interned-texts.ts'

/**
 * Attributes that nearly every element is asked for, each with a place of its own (`XmlAttributes.at`): finding one there takes
 * no comparing of names.
 */
export const PLACES = {
  type: 0,
  sourceName: 1,
  device: 2,
  unit: 3,
  startDate: 4,
  endDate: 5,
  value: 6,
  key: 7,
} as const
export const PLACE_COUNT = Object.keys(PLACES).length
export type Place = (typeof PLACES)[keyof typeof PLACES]

export interface XmlName {
  readonly text: string
  /** How it is usually written: `<Record` for an element, ` type="` for an attribute. */
  readonly literal: DataView
  /** Its place in `PLACES`, or -1. */
  readonly place: number
  /** The attribute that came after it the last time. */
  follower: XmlName | undefined
}

/** The elements of a document; bounded, as `InternedTexts` is. */
export function elementNames(): InternedTexts<XmlName> {
  return new InternedTexts(text => ({ text, literal: literal(`<${text}`), place: -1, follower: undefined }))
}

/** Its attributes. */
export function attributeNames(): InternedTexts<XmlName> {
  const places: ReadonlyMap<string, number> = new Map(Object.entries(PLACES))
  return new InternedTexts(text => ({
    text,
    literal: literal(` ${text}="`),
    place: places.get(text) ?? -1,
    follower: undefined,
  }))
}

/** Whether a name may be looked for by its literal. */
export function isComparable(name: XmlName): boolean {
  return name.literal.byteLength <= COMPARED_BYTES
}

function literal(text: string): DataView {
  return viewOf(Uint8Array.from(Buffer.from(text)))
}
