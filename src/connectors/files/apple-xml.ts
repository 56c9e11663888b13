/**
 * A streaming XML reader for exports that keep everything in attributes: elements come out, text does not. It works on bytes
 * (all markup is ASCII, so UTF-8 need not be decoded to find it), and only the values somebody asks for become strings.
 */
import type { ServiceError } from '../../core/errors.ts'
import { XmlAttributes } from './apple-attributes.ts'
import { doctypeEnd } from './apple-doctype.ts'
import { InternedTexts } from './interned-texts.ts'
import { APOSTROPHE, BANG, EQUALS, GT, isNameByte, isSpace, LT, QUESTION, QUOTE, SLASH } from './xml-bytes.ts'
import { cutOff, malformed, notXml } from './xml-errors.ts'

/** What the reader reports. `depth` is 0 for the root. An empty element is opened and closed. */
export interface XmlHandler {
  /** `attributes` is used again for the next element: take what is needed before returning. */
  open(name: string, attributes: XmlAttributes, depth: number): void
  close(name: string, depth: number): void
}

/** No tag or document type of a real export comes near it; a quote that never ends does. */
const MAX_TAG_BYTES = 1_048_576
const MAX_DEPTH = 64

const BOM = Buffer.of(0xef, 0xbb, 0xbf)
const DOCTYPE = '<!DOCTYPE'
const DECLARATIONS = ['<!--', '<![CDATA[', DOCTYPE] as const

/**
 * Feed it the bytes of a document in pieces cut anywhere, then call `end`. The document type is skipped unread, so nothing it
 * declares is ever expanded. Throws ServiceError `invalid_file` at the first thing that is not well-formed; control characters
 * inside attribute values are let through, because real exports hold them.
 */
export class XmlReader {
  private readonly handler: XmlHandler
  private readonly attributes = new XmlAttributes()
  private readonly names = new InternedTexts(name => name)
  private readonly stack: string[] = []
  /** What is being read: `length` bytes, then a zero, which stops every loop without a look at the length. */
  private bytes: Buffer = Buffer.alloc(1)
  private length = 0
  private pos = 0
  /** Bytes of the document before `bytes`. */
  private base = 0
  /** While inside a comment, CDATA section or processing instruction: what ends it. */
  private skipUntil = ''
  private rootSeen = false
  private doctypeSeen = false

  constructor(handler: XmlHandler) {
    this.handler = handler
  }

  /** The bytes may be used again once it returns. */
  write(piece: Uint8Array): void {
    this.append(piece)
    if (this.base > 0 || this.passBom()) this.scan()
    if (this.length - this.pos > MAX_TAG_BYTES) throw this.malformed('a tag of more than 1 MiB')
  }

  end(): void {
    const open = this.stack[0]
    if (open !== undefined) throw cutOff(open)
    if (this.skipUntil !== '' || this.pos < this.length) throw this.malformed('a tag that never ends')
    if (!this.rootSeen) throw notXml()
  }

  /** Puts a piece behind what is left of the ones before. */
  private append(piece: Uint8Array): void {
    const left = this.length - this.pos
    const needed = left + piece.length + 1
    const target = needed > this.bytes.length ? Buffer.allocUnsafe(needed * 2) : this.bytes
    this.bytes.copy(target, 0, this.pos, this.length)
    target.set(piece, left)
    target[left + piece.length] = 0
    this.bytes = target
    this.base += this.pos
    this.pos = 0
    this.length = left + piece.length
  }

  /** Steps over a byte order mark; false while it may still come. */
  private passBom(): boolean {
    const head = this.bytes.subarray(0, Math.min(BOM.length, this.length))
    if (!BOM.subarray(0, head.length).equals(head)) return true
    this.pos = head.length === BOM.length ? BOM.length : 0
    return head.length === BOM.length
  }

  private scan(): void {
    for (;;) {
      if (this.skipUntil !== '' && !this.passSkipped()) return
      if (!this.toNextTag()) return
      const lt = this.pos
      const code = this.bytes[lt + 1]
      let done = true
      if (code === SLASH) done = this.closeTag(lt)
      else if (code === BANG) done = this.declaration(lt)
      else if (code === QUESTION) {
        this.pos = lt + 2
        this.skipUntil = '?>'
      } else done = this.openTag(lt)
      if (!done) return
    }
  }

  /** Goes to the end of what is being skipped; false when it lies beyond this piece. */
  private passSkipped(): boolean {
    const end = this.bytes.subarray(0, this.length).indexOf(this.skipUntil, this.pos)
    if (end === -1) {
      // its first characters may be the last of this piece
      this.pos = Math.max(this.pos, this.length - this.skipUntil.length + 1)
      return false
    }
    this.pos = end + this.skipUntil.length
    this.skipUntil = ''
    return true
  }

  /** Goes over the text to the next `<`; false at the end of the piece. */
  private toNextTag(): boolean {
    const { bytes, length } = this
    const outside = this.stack.length === 0
    let i = this.pos
    for (let code = bytes[i] as number; code !== LT && i < length; code = bytes[++i] as number) {
      if (!outside || isSpace(code)) continue
      if (!this.rootSeen) throw notXml()
      this.pos = i
      throw this.malformed('text after the end of the document')
    }
    this.pos = i
    return i < length
  }

  private closeTag(lt: number): boolean {
    let gt = lt
    while (this.bytes[gt] !== GT) if (gt++ === this.length) return false
    let end = gt
    while (end > lt && isSpace(this.bytes[end - 1] as number)) end--
    const name = this.stack.pop()
    if (name === undefined || name !== this.names.of(this.bytes, lt + 2, Math.max(end, lt + 2))) {
      throw this.malformed('a closing tag that does not match the opening one')
    }
    this.pos = gt + 1
    this.handler.close(name, this.stack.length)
    return true
  }

  private declaration(lt: number): boolean {
    const head = this.bytes.toString('latin1', lt, Math.min(lt + DOCTYPE.length, this.length))
    const kind = DECLARATIONS.find(each => head.startsWith(each))
    if (kind === undefined) {
      if (DECLARATIONS.some(each => each.startsWith(head))) return false
      throw this.malformed('an unknown declaration')
    }
    if (kind === DOCTYPE) return this.passDoctype(lt)
    if (kind === '<![CDATA[' && this.stack.length === 0) throw this.malformed('text outside of the document')
    this.pos = lt + kind.length
    this.skipUntil = kind === '<!--' ? '-->' : ']]>'
    return true
  }

  private passDoctype(lt: number): boolean {
    if (this.rootSeen || this.doctypeSeen) throw this.malformed('a document type in the wrong place')
    const end = doctypeEnd(this.bytes.subarray(0, this.length), lt + DOCTYPE.length)
    if (end === -1) return false
    this.pos = end
    this.doctypeSeen = true
    return true
  }

  private openTag(lt: number): boolean {
    const { bytes, attributes } = this
    let i = lt + 1
    let code = bytes[i] as number
    while (isNameByte(code)) code = bytes[++i] as number
    const nameEnd = i
    if (code === 0) return this.incomplete(i)
    if (nameEnd === lt + 1 || code === LT || code === EQUALS || code === QUOTE)
      throw this.malformed('a tag without a name')
    attributes.start(bytes)
    for (;;) {
      while (isSpace(code)) code = bytes[++i] as number
      if (code === GT || code === SLASH) break
      i = this.attribute(i)
      if (i === -1) return false
      code = bytes[i] as number
    }
    const empty = code === SLASH
    if (empty) {
      code = bytes[++i] as number
      if (code === 0) return this.incomplete(i)
      if (code !== GT) throw this.malformed('a stray slash in a tag')
    }
    this.pos = i + 1
    this.opened(this.names.of(bytes, lt + 1, nameEnd), empty)
    return true
  }

  /** Takes the attribute that starts at `from`; the position after it, or -1 when the piece ends before it does. */
  private attribute(from: number): number {
    const { bytes } = this
    let i = from
    let code = bytes[i] as number
    while (isNameByte(code)) code = bytes[++i] as number
    const to = i
    while (isSpace(code)) code = bytes[++i] as number
    if (code === 0) return this.incomplete(i) || -1
    if (code !== EQUALS || to === from) throw this.malformed('an attribute without a value')
    do code = bytes[++i] as number
    while (isSpace(code))
    if (code === 0) return this.incomplete(i) || -1
    if (code !== QUOTE && code !== APOSTROPHE) throw this.malformed('an attribute value without quotes')
    const quote = code
    const valueFrom = ++i
    for (code = bytes[i] as number; code !== quote; code = bytes[++i] as number) {
      if (code === LT) throw this.malformed('a "<" inside a tag')
      if (code === 0) return this.incomplete(i) || -1
    }
    this.attributes.add(from, to, valueFrom, i)
    return i + 1
  }

  /** A zero ends the piece, so more has to come, or stands in the document, where it has no place. */
  private incomplete(at: number): false {
    if (at < this.length) throw this.malformed('a NUL character')
    return false
  }

  private opened(name: string, empty: boolean): void {
    const depth = this.stack.length
    if (depth === 0 && this.rootSeen) throw this.malformed('a second document')
    if (depth === MAX_DEPTH) throw this.malformed(`elements more than ${MAX_DEPTH} deep`)
    this.rootSeen = true
    if (!empty) this.stack.push(name)
    this.handler.open(name, this.attributes, depth)
    if (empty) this.handler.close(name, depth)
  }

  private malformed(what: string): ServiceError {
    return malformed(what, this.base + this.pos)
  }
}
