/**
 * An XML element's attributes, as positions in the bytes being read. Values are decoded only on request. Reads by index are unchecked (`as
 * number`), because the loops are hot and stay in range.
 */

import { present } from '../../../core/present.ts'
import type { ByteWindow } from './byte-window.ts'
import { parseDecimal } from './decimal.ts'
import { type AttributeSlot, SLOT_COUNT, type XmlName } from './names.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML normalizes line breaks and tabs
const LINE_SPACE = /\r\n|[\u0009\u000a\u000d]/g
const REFERENCE = /&(?:#x([0-9a-fA-F]{1,8})|#([0-9]{1,8})|(amp|lt|gt|quot|apos));/g
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Filled by the reader for each element, then read by the handler. Valid until the handler returns. */
export class XmlAttributes {
  /** The bytes that the positions refer to. */
  readonly window: ByteWindow
  count = 0
  /** Byte position of the tag's start in the document. */
  byte = 0
  private readonly names: XmlName[] = []
  /** Two positions per attribute: the start and the end of the value. */
  private readonly values: number[] = []
  private readonly slots = new Int32Array(SLOT_COUNT)

  constructor(window: ByteWindow) {
    this.window = window
  }

  start(byte: number): void {
    this.byte = byte
    this.count = 0
    for (let i = 0; i < SLOT_COUNT; i++) this.slots[i] = -1
  }

  add(name: XmlName, valueFrom: number, valueTo: number): void {
    const i = this.count++
    this.names[i] = name
    this.values[2 * i] = valueFrom
    this.values[2 * i + 1] = valueTo
    // if two attributes have the same name, the first one is used, as in `find`
    if (name.slot >= 0 && this.slots[name.slot] === -1) this.slots[name.slot] = i
  }

  /** Returns the index of the attribute with this fixed position, or -1. */
  at(slot: AttributeSlot): number {
    return this.slots[slot] as number
  }

  /** Returns the index of the attribute with this name, or -1. */
  find(name: string): number {
    for (let i = 0; i < this.count; i++) if (this.names[i]?.text === name) return i
    return -1
  }

  name(index: number): string {
    return present(this.names[index], 'the name of an attribute').text
  }

  valueFrom(index: number): number {
    return this.values[2 * index] as number
  }

  valueTo(index: number): number {
    return this.values[2 * index + 1] as number
  }

  /** Returns the decoded value. */
  value(index: number): string {
    return decodeXml(this.window.bytes.toString('utf8', this.valueFrom(index), this.valueTo(index)))
  }

  /** Returns the value as a decimal number; NaN if it is not a number. */
  number(index: number): number {
    return numberIn(this.window, this.valueFrom(index), this.valueTo(index))
  }

  /** Returns the decoded value of the attribute with this name, or undefined. */
  get(name: string): string | undefined {
    const index = this.find(name)
    return index === -1 ? undefined : this.value(index)
  }
}

/**
 * Decodes a raw value: normalizes white space and resolves references. Only the five predefined entities and character references are
 * resolved; entities that the document defines stay unchanged.
 */
export function decodeXml(raw: string): string {
  const spaced = raw.replace(LINE_SPACE, ' ')
  if (!spaced.includes('&')) return spaced
  return spaced.replace(
    REFERENCE,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return NAMED[name] ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? whole : String.fromCodePoint(code)
    },
  )
}

/** Returns the number in the bytes [from, to); NaN if they are not a number. */
export function numberIn({ bytes }: ByteWindow, from: number, to: number): number {
  const quick = parseDecimal(bytes, from, to)
  return Number.isNaN(quick) ? parseNumber(decodeXml(bytes.toString('utf8', from, to))) : quick
}

/** Parses a number as written in exports. Returns NaN for anything else, including empty text and hexadecimal. */
export function parseNumber(text: string): number {
  return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN
}
