/**
 * Reads a document's opening tags (name, attributes and end). Compares each tag with earlier ones instead of searching it. Reads by index
 * are unchecked (`as number`), because the loops are hot and stay in range.
 */
import type { XmlAttributes } from './attributes.ts'
import type { ByteWindow } from './byte-window.ts'
import { APOSTROPHE, EQUALS, GT, isNameByte, isSpace, QUOTE, SLASH } from './bytes.ts'
import { malformed } from './errors.ts'
import { attributeNames, elementNames, isComparable, type XmlName } from './names.ts'

/** Reads tags and keeps the last one. */
export class TagReader {
  isEmpty = false
  private readonly window: ByteWindow
  private readonly attributes: XmlAttributes
  private readonly elements = elementNames()
  private readonly names = attributeNames()
  /** The most recently opened element at each depth. */
  private readonly likely: XmlName[] = []
  /** The position after the tag's end, in the window. */
  end = 0

  /** `attributes` is filled for each tag. */
  constructor(window: ByteWindow, attributes: XmlAttributes) {
    this.window = window
    this.attributes = attributes
  }

  /**
   * Reads the tag that starts at `lt` and must not extend beyond `limit`. Returns undefined if the tag does not end before `limit`. `byte`
   * is the tag's position in the document.
   */
  read(lt: number, limit: number, depth: number, byte: number): XmlName | undefined {
    const { window, attributes } = this
    const element = this.element(lt, limit, depth, byte)
    if (element === undefined) return undefined
    let i = lt + element.literal.byteLength
    let code = 0
    attributes.start(byte)
    for (let name = element; ; ) {
      const next = name.follower
      if (next !== undefined && window.same(i, next.literal, 0, next.literal.byteLength)) {
        const from = i + next.literal.byteLength
        const to = window.search(QUOTE, from, limit)
        if (to >= limit) return undefined
        attributes.add(next, from, to)
        i = to + 1
        name = next
        continue
      }
      for (code = window.bytes[i] as number; isSpace(code); ) code = window.bytes[++i] as number
      if (code === GT || code === SLASH) break
      const other = this.attribute(i, limit)
      if (other === undefined) return undefined
      if (isComparable(other)) name.follower = other
      name = other
      i = attributes.valueTo(attributes.count - 1) + 1
    }
    this.isEmpty = code === SLASH
    if (this.isEmpty) {
      if (++i >= limit) return undefined
      if (window.bytes[i] !== GT) throw malformed('a stray slash in a tag', byte)
    }
    this.end = i + 1
    return element
  }

  /** Returns the tag's element; undefined if `limit` comes before the end of its name. */
  private element(lt: number, limit: number, depth: number, byte: number): XmlName | undefined {
    const { window } = this
    const likely = this.likely[depth]
    if (likely !== undefined && window.same(lt, likely.literal, 0, likely.literal.byteLength)) {
      if (!isNameByte(window.bytes[lt + likely.literal.byteLength] as number)) return likely
    }
    const to = this.nameEnd(lt + 1)
    if (to >= limit) return undefined
    if (to === lt + 1 || window.bytes[to] === EQUALS || window.bytes[to] === QUOTE) {
      throw malformed('a tag without a name', byte)
    }
    const element = this.elements.of(window, lt + 1, to)
    if (isComparable(element)) this.likely[depth] = element
    return element
  }

  /** Reads the attribute whose name starts at `from`. Returns undefined if `limit` comes before its end. */
  private attribute(from: number, limit: number): XmlName | undefined {
    const { bytes } = this.window
    const { byte } = this.attributes
    const to = this.nameEnd(from)
    let i = to
    while (isSpace(bytes[i] as number)) i++
    if (i >= limit) return undefined
    if (bytes[i] !== EQUALS || to === from) throw malformed('an attribute without a value', byte)
    do i++
    while (isSpace(bytes[i] as number))
    if (i >= limit) return undefined
    const quote = bytes[i] as number
    if (quote !== QUOTE && quote !== APOSTROPHE) throw malformed('an attribute value without quotes', byte)
    const end = this.window.search(quote, i + 1, limit)
    if (end >= limit) return undefined
    const name = this.names.of(this.window, from, to)
    this.attributes.add(name, i + 1, end)
    return name
  }

  private nameEnd(from: number): number {
    let i = from
    while (isNameByte(this.window.bytes[i] as number)) i++
    return i
  }
}
