/**
 * A streaming XML reader for exports that store everything in attributes. It works on bytes (markup is ASCII, so it can be found without
 * decoding UTF-8), and creates strings only for requested values. Reads by index are unchecked (`as number`), because the loops are hot and
 * stay in range.
 */
import type { ServiceError } from '../../../core/errors.ts'
import { decodeXml, XmlAttributes } from './attributes.ts'
import { ByteWindow } from './byte-window.ts'
import { BANG, GT, isSpace, LT, QUESTION, SLASH } from './bytes.ts'
import { doctypeEnd } from './doctype.ts'
import { cutOff, malformed, notXml } from './errors.ts'
import type { XmlName } from './names.ts'
import { TagReader } from './tags.ts'

/** Receives the parsed parts of a document. `depth` is 0 for the root. For an empty element, both `open` and `close` are called. */
export interface XmlHandler {
  /** `attributes` is reused for the next element, so read what you need before returning. */
  open(name: string, attributes: XmlAttributes, depth: number): void
  close(name: string, depth: number): void
  /**
   * Receives decoded text inside an element, in one or more parts, including white space between elements. If this method is absent, text
   * is ignored.
   */
  text?(text: string): void
  /** An alternative to `text` that receives the same text as raw bytes [from, to) of the window, with unresolved references. */
  rawText?(window: ByteWindow, from: number, to: number): void
}

/** Maximum length of a tag or document type. Real exports stay below it; a quote that is never closed does not. */
const MAX_TAG_BYTES = 1_048_576
const MAX_DEPTH = 64

const BOM = Buffer.of(0xef, 0xbb, 0xbf)
const DOCTYPE = '<!DOCTYPE'
const CDATA = '<![CDATA['
const DECLARATIONS = ['<!--', CDATA, DOCTYPE] as const

/**
 * Reads a document. Feed it the bytes in pieces of any size, then call `end`. The document type is skipped, so its declarations are never
 * expanded. Throws ServiceError `invalid_file` where the document is first not well-formed, after reporting everything before that
 * position. Control characters inside attribute values are allowed, because real exports contain them.
 */
export class XmlReader {
  private readonly handler: XmlHandler
  private readonly wantsText: boolean
  private readonly window = new ByteWindow()
  private readonly attributes = new XmlAttributes(this.window)
  private readonly tags = new TagReader(this.window, this.attributes)
  private readonly stack: XmlName[] = []
  private pos = 0
  /** Position of the `<` after the last tag, or -1 if unknown. */
  private nextTag = -1
  /** Number of the document's bytes before the window. */
  private base = 0
  /** End marker of the current comment, CDATA section or processing instruction; '' outside of these. */
  private skipUntil = ''
  private rootSeen = false
  private doctypeSeen = false

  constructor(handler: XmlHandler) {
    this.handler = handler
    this.wantsText = handler.text !== undefined || handler.rawText !== undefined
  }

  /** Number of the document's bytes up to the end of the tag that is being reported. */
  get position(): number {
    return this.base + this.pos
  }

  /** Reads a piece. The caller may reuse the bytes after this call returns. */
  write(piece: Uint8Array): void {
    const { window } = this
    const left = window.length - this.pos
    window.refill(this.pos, piece)
    this.base += this.pos
    this.pos = 0
    this.nextTag = -1
    const nul = window.indexOf(0, left)
    const isCut = nul < window.length
    if (isCut) window.cut(nul)
    if (this.base > 0 || this.passBom()) this.scan()
    if (isCut) throw malformed('a NUL character', this.base + nul)
    if (window.length - this.pos > MAX_TAG_BYTES) throw this.malformed('a tag of more than 1 MiB')
  }

  end(): void {
    const open = this.stack[0]
    if (open !== undefined) throw cutOff(open.text)
    if (this.skipUntil !== '' || this.pos < this.window.length) throw this.malformed('a tag that never ends')
    if (!this.rootSeen) throw notXml()
  }

  /** Skips a byte order mark. Returns false while a byte order mark may still follow. */
  private passBom(): boolean {
    const { bytes, length } = this.window
    const head = bytes.subarray(0, Math.min(BOM.length, length))
    if (!BOM.subarray(0, head.length).equals(head)) return true
    this.pos = head.length === BOM.length ? BOM.length : 0
    return head.length === BOM.length
  }

  private scan(): void {
    const { window } = this
    for (;;) {
      if (this.skipUntil !== '' && !this.passSkipped()) return
      if (!this.toNextTag()) return
      const lt = this.pos
      // a tag does not contain "<", so it ends before the next "<", and later searches do not have to find that position again
      const limit = window.indexOf(LT, lt + 1)
      this.nextTag = limit
      const code = window.bytes[lt + 1]
      let done = true
      if (code === SLASH) done = this.closeTag(lt, limit)
      else if (code === BANG) done = this.declaration(lt)
      else if (code === QUESTION) {
        this.pos = lt + 2
        this.skipUntil = '?>'
      } else done = this.openTag(lt, limit)
      if (!done) return
    }
  }

  /** Moves to the end of the skipped part. Returns false if the end is beyond this piece. */
  private passSkipped(): boolean {
    const end = this.textEnd(this.skipUntil, this.pos)
    if (end === -1) {
      // the end marker's first characters may be the last ones in this piece
      this.pos = Math.max(this.pos, this.window.length - this.skipUntil.length + 1)
      return false
    }
    this.pos = end + this.skipUntil.length
    this.skipUntil = ''
    return true
  }

  private textEnd(ending: string, from: number): number {
    return this.window.bytes.subarray(0, this.window.length).indexOf(ending, from)
  }

  /** Skips the text to the next `<`. Returns false at the end of the piece. */
  private toNextTag(): boolean {
    const { window, pos } = this
    const lt = this.nextTag >= pos ? this.nextTag : window.indexOf(LT, pos)
    if (this.stack.length === 0) this.checkOutside(lt)
    else if (this.wantsText && lt > pos) {
      // text is not reported in parts here, because the end of the piece may be inside a character or reference
      if (lt === window.length) return false
      this.handler.rawText?.(window, pos, lt)
      this.handler.text?.(decodeXml(window.bytes.toString('utf8', pos, lt)))
    }
    this.pos = lt
    return lt < window.length
  }

  private checkOutside(to: number): void {
    for (let i = this.pos; i < to; i++) {
      if (isSpace(this.window.bytes[i] as number)) continue
      if (!this.rootSeen) throw notXml()
      this.pos = i
      throw this.malformed('text after the end of the document')
    }
  }

  private closeTag(lt: number, limit: number): boolean {
    const { window } = this
    const name = this.stack.at(-1)
    // the literal has a "<" before the name
    const length = name === undefined ? 0 : name.literal.byteLength - 1
    let i = lt + 2
    const isName = name !== undefined && i + length < limit && window.same(i, name.literal, 1, length)
    if (isName) i += length
    while (isSpace(window.bytes[i] as number)) i++
    if (name === undefined || !isName || window.bytes[i] !== GT) {
      if (window.indexOf(GT, lt) >= limit) return this.stopped(limit)
      throw this.malformed('a closing tag that does not match the opening one')
    }
    this.pos = i + 1
    this.stack.pop()
    this.handler.close(name.text, this.stack.length)
    return true
  }

  private declaration(lt: number): boolean {
    const { bytes, length } = this.window
    const head = bytes.toString('latin1', lt, Math.min(lt + DOCTYPE.length, length))
    const kind = DECLARATIONS.find(each => head.startsWith(each))
    if (kind === undefined) {
      if (DECLARATIONS.some(each => each.startsWith(head))) return false
      throw this.malformed('an unknown declaration')
    }
    if (kind === DOCTYPE) return this.passDoctype(lt)
    if (kind === CDATA && this.stack.length === 0) throw this.malformed('text outside of the document')
    if (kind === CDATA && this.wantsText) return this.textSection(lt + kind.length)
    this.pos = lt + kind.length
    this.skipUntil = kind === CDATA ? ']]>' : '-->'
    return true
  }

  /** Reports a CDATA section unchanged. Returns false if the section ends beyond this piece. */
  private textSection(from: number): boolean {
    const end = this.textEnd(']]>', from)
    if (end === -1) return false
    this.pos = end + ']]>'.length
    this.handler.rawText?.(this.window, from, end)
    this.handler.text?.(this.window.bytes.toString('utf8', from, end))
    return true
  }

  private passDoctype(lt: number): boolean {
    if (this.rootSeen || this.doctypeSeen) throw this.malformed('a document type in the wrong place')
    const end = doctypeEnd(this.window.bytes.subarray(0, this.window.length), lt + DOCTYPE.length)
    if (end === -1) return false
    this.pos = end
    this.doctypeSeen = true
    return true
  }

  private openTag(lt: number, limit: number): boolean {
    const { stack, tags } = this
    const depth = stack.length
    const element = tags.read(lt, limit, depth, this.base + lt)
    if (element === undefined) return this.stopped(limit)
    if (depth === 0 && this.rootSeen) throw this.malformed('a second document')
    if (depth === MAX_DEPTH) throw this.malformed(`elements nested more than ${MAX_DEPTH} levels deep`)
    this.rootSeen = true
    this.pos = tags.end
    if (!tags.isEmpty) stack.push(element)
    this.handler.open(element.text, this.attributes, depth)
    if (tags.isEmpty) this.handler.close(element.text, depth)
    return true
  }

  /** Handles an incomplete tag: at the end of the piece, more bytes must follow; before a `<`, the tag is malformed. */
  private stopped(limit: number): false {
    if (limit < this.window.length) throw this.malformed('a "<" inside a tag')
    return false
  }

  private malformed(what: string): ServiceError {
    return malformed(what, this.base + this.pos)
  }
}
