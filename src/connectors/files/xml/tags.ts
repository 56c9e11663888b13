/** Opening tags of a document: name, attributes and end, taken by comparing with the tags before rather than by looking for it all. */
import type { XmlAttributes } from './attributes.ts'
import type { ByteWindow } from './byte-window.ts'
import { APOSTROPHE, EQUALS, GT, isNameByte, isSpace, QUOTE, SLASH } from './bytes.ts'
import { malformed } from './errors.ts'
import { attributeNames, elementNames, isComparable, type XmlName } from './names.ts'

/** Holds the tag it read last. */
export class TagReader {
  isEmpty = false
  private readonly window: ByteWindow
  private readonly attributes: XmlAttributes
  private readonly elements = elementNames()
  private readonly names = attributeNames()
  /** By depth, the element that was opened there last. */
  private readonly likely: XmlName[] = []
  /** Where the tag ends in the window. */
  end = 0

  /** `attributes` are filled for each tag. */
  constructor(window: ByteWindow, attributes: XmlAttributes) {
    this.window = window
    this.attributes = attributes
  }

  /**
   * Reads the tag that begins at `lt` and is over at `limit` at the latest. Undefined when it is over there before its end. It
   * begins at `byte` of the document.
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

  /** The element of the tag; undefined when the tag is over before its name is. */
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

  /** Takes the attribute whose name starts at `from`; undefined when the tag is over before it is. */
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
