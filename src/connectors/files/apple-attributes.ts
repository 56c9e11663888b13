/** The attributes of one XML element as positions in the bytes being read: a value is decoded only when it is asked for. */
import { parseDecimal } from './apple-decimal.ts'
import { InternedTexts } from './interned-texts.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: line breaks and tabs are what XML normalises
const LINE_SPACE = /\r\n|[\u0009\u000a\u000d]/g
const REFERENCE = /&(?:#x([0-9a-fA-F]{1,8})|#([0-9]{1,8})|(amp|lt|gt|quot|apos));/g
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Filled by the reader for each element, then read by the handler; valid until the handler returns. */
export class XmlAttributes {
  /** What the positions point into. */
  bytes: Buffer = Buffer.alloc(0)
  count = 0
  /** Four positions an attribute: its name from and to, its value from and to. */
  private readonly at: number[] = []
  private readonly texts = new InternedTexts(decodeXml)

  start(bytes: Buffer): void {
    this.bytes = bytes
    this.count = 0
  }

  add(nameFrom: number, nameTo: number, valueFrom: number, valueTo: number): void {
    const i = this.count++ * 4
    const at = this.at
    at[i] = nameFrom
    at[i + 1] = nameTo
    at[i + 2] = valueFrom
    at[i + 3] = valueTo
  }

  /** The place of the attribute of that name (ASCII, as all of an export's are) among the others, or -1. */
  find(name: string): number {
    const { at } = this
    for (let i = 0, k = 0; i < this.count; i++, k += 4) {
      const from = at[k] as number
      if ((at[k + 1] as number) - from === name.length && this.spells(from, name)) return i
    }
    return -1
  }

  name(index: number): string {
    return this.bytes.toString('utf8', this.at[index * 4] as number, this.at[index * 4 + 1] as number)
  }

  valueFrom(index: number): number {
    return this.at[index * 4 + 2] as number
  }

  valueTo(index: number): number {
    return this.at[index * 4 + 3] as number
  }

  /** The value decoded. */
  value(index: number): string {
    return decodeXml(this.bytes.toString('utf8', this.valueFrom(index), this.valueTo(index)))
  }

  /** The value decoded, for the few words that stand in nearly every record: each is decoded once. */
  word(index: number): string {
    return this.texts.of(this.bytes, this.valueFrom(index), this.valueTo(index))
  }

  /** The value as a decimal number; NaN when it is none. */
  number(index: number): number {
    const quick = parseDecimal(this.bytes, this.valueFrom(index), this.valueTo(index))
    return Number.isNaN(quick) ? parseNumber(this.value(index)) : quick
  }

  /** The decoded value of the attribute of that name, or undefined. */
  get(name: string): string | undefined {
    const index = this.find(name)
    return index === -1 ? undefined : this.value(index)
  }

  /** Like `get`, for words. */
  getWord(name: string): string | undefined {
    const index = this.find(name)
    return index === -1 ? undefined : this.word(index)
  }

  private spells(from: number, name: string): boolean {
    for (let i = 0; i < name.length; i++) if (this.bytes[from + i] !== name.charCodeAt(i)) return false
    return true
  }
}

/**
 * A raw value as text: white space normalised, references resolved. Only the five names of XML itself and character numbers
 * are resolved; an entity of the document's own stays as it is written.
 */
export function decodeXml(raw: string): string {
  const spaced = raw.replace(LINE_SPACE, ' ')
  if (!spaced.includes('&')) return spaced
  return spaced.replace(
    REFERENCE,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return NAMED[name] as string
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? whole : String.fromCodePoint(code)
    },
  )
}

/** A number as an export writes it; NaN for anything else, the empty text and hexadecimal included. */
export function parseNumber(text: string): number {
  return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN
}
