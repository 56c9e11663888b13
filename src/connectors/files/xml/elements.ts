/** Reads an XML file's elements with their text, by local name regardless of the prefix. */
import { ServiceError } from '../../../core/errors.ts'
import { fileHead, filePieces } from '../bytes/file-pieces.ts'
import type { ImportContext, ImportFile } from '../importer.ts'
import type { XmlAttributes } from './attributes.ts'
import { printableName } from './errors.ts'
import { XmlReader } from './reader.ts'

export interface ElementHandler {
  /** `parent` is the local name of the enclosing element, '' for the root; `at` is the byte position after the opening tag. */
  open(name: string, attributes: XmlAttributes, parent: string, at: number): void
  /** `text` is the element's own text, without surrounding white space. */
  close(name: string, text: string, parent: string): void
}

/** The required start of a file, and the file's name in a message. */
export interface XmlFormat {
  /** The root element's local name. */
  readonly root: string
  /** Name in a message, such as `a GPX file`. */
  readonly title: string
}

const HEAD_BYTES = 4096
/** Maximum length of texts such as names and notes. Longer texts are truncated. */
const MAX_TEXT = 4096
const MAX_NAMES = 1000

/** Matches white space and byte order marks, decoded as latin1. Some programs write them in any order. */
const BLANKS = /^(?:\s|\u00ef\u00bb\u00bf)*/
const PREAMBLE = /^(?:\s+|\u00ef\u00bb\u00bf|<\?[^>]*\?>|<!--(?:(?!-->)[\s\S])*-->|<!DOCTYPE[^>[]*>)*/

/** Returns whether these are the first bytes of an XML document with this root, under any prefix. */
export function hasRoot(head: Uint8Array, root: string): boolean {
  const text = latin1(utf8Of(head) ?? head)
  const start = text.slice(PREAMBLE.exec(text)?.[0].length)
  return new RegExp(`^<(?:[^\\s<>/:="']+:)?${root}[\\s>/]`).test(start)
}

/**
 * Feeds a file to a handler and yields after each piece, so that complete items can be taken. Throws ServiceError `invalid_file` if the
 * file is empty, in UTF-16, in another format or not well-formed.
 */
export async function* feedElements(
  file: ImportFile,
  context: ImportContext,
  format: XmlFormat,
  handler: ElementHandler,
): AsyncGenerator<{ readonly bytesRead: number }> {
  const head = file.bytes?.subarray(0, HEAD_BYTES) ?? (await fileHead(file.path, HEAD_BYTES))
  checkHead(head, format)
  const elements = new LocalElements(handler, format)
  const reader = new XmlReader(elements)
  elements.positionOf = () => reader.position
  let blanks = BLANKS.exec(latin1(head))?.[0].length ?? 0
  for await (const { bytes, bytesRead } of filePieces(file, context.signal)) {
    // byte order marks among the white space are overwritten with spaces, so that positions stay correct
    if (blanks > 0) bytes.fill(0x20, 0, blanks)
    blanks = 0
    reader.write(bytes)
    yield { bytesRead }
  }
  reader.end()
}

/** Converts the reader's events into events for an `ElementHandler`. */
class LocalElements {
  positionOf: () => number = () => 0
  private readonly handler: ElementHandler
  private readonly format: XmlFormat
  private readonly names = new Map<string, string>()
  private readonly parents: string[] = ['']
  private held = ''

  constructor(handler: ElementHandler, format: XmlFormat) {
    this.handler = handler
    this.format = format
  }

  open(name: string, attributes: XmlAttributes, depth: number): void {
    const local = this.localName(name)
    if (depth === 0 && local !== this.format.root) throw wrongRoot(local, this.format)
    const parent = this.parents[depth] ?? ''
    this.parents[depth + 1] = local
    this.held = ''
    this.handler.open(local, attributes, parent, this.positionOf())
  }

  text(text: string): void {
    if (this.held.length < MAX_TEXT) this.held += text.slice(0, MAX_TEXT)
  }

  close(_name: string, depth: number): void {
    const text = this.held.trim()
    this.held = ''
    this.handler.close(this.parents[depth + 1] ?? '', text, this.parents[depth] ?? '')
  }

  private localName(name: string): string {
    const known = this.names.get(name)
    if (known !== undefined) return known
    const local = name.slice(name.indexOf(':') + 1)
    if (this.names.size >= MAX_NAMES) this.names.clear()
    this.names.set(name, local)
    return local
  }
}

function checkHead(head: Uint8Array, { title, root }: XmlFormat): void {
  if (head.length === 0) throw refused(`The file is empty, but ${title} is XML with the root element <${root}>.`)
  if (isUtf16(head)) {
    throw refused(`The file is in UTF-16, but ${title} must be in UTF-8.`, 'Save it as UTF-8 and import it again.')
  }
  if (!latin1(head).replace(BLANKS, '').startsWith('<')) {
    throw refused(`The file is not XML, but ${title} is XML with the root element <${root}>.`)
  }
}

/** Converts UTF-16 bytes to ASCII, so that the format is recognized and the error can report UTF-16 as the problem. */
function utf8Of(head: Uint8Array): Uint8Array | undefined {
  return isUtf16(head) ? head.filter(byte => byte !== 0 && byte !== 0xff && byte !== 0xfe) : undefined
}

function isUtf16(head: Uint8Array): boolean {
  const [a, b] = head
  return (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0x3c && b === 0) || (a === 0 && b === 0x3c)
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function wrongRoot(root: string, format: XmlFormat): ServiceError {
  return refused(`The file is not ${format.title}: its root is <${printableName(root)}>, not <${format.root}>.`)
}

function refused(message: string, remedy?: string): ServiceError {
  return new ServiceError('invalid_file', message, { suggestions: remedy === undefined ? [] : [remedy] })
}
