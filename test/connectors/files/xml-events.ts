/** Reports of two XML readers about the same document in one form, for comparison. */
import { SaxesParser } from 'saxes'
import { SLOTS } from '../../../src/connectors/files/xml/names.ts'
import { XmlReader } from '../../../src/connectors/files/xml/reader.ts'

type Values = Readonly<Record<string, string>>
/** Text with any white space as blanks: the readers normalize line ends differently, which does not matter. */
export type XmlEvent =
  | readonly ['open', string, number, Values]
  | readonly ['close', string, number]
  | readonly ['text', string]

/** Returns the events of our reader. `text` requests text, which the reader reads in a different way. */
export function ours(pieces: readonly Uint8Array[], text = false): XmlEvent[] {
  const events = new Events()
  const slots = Object.entries(SLOTS)
  const reader = new XmlReader({
    open(name, attributes, depth) {
      const values: Record<string, string> = {}
      for (let i = 0; i < attributes.count; i++) values[attributes.name(i)] = attributes.value(i)
      for (const [key, slot] of slots) {
        if (attributes.at(slot) !== attributes.find(key)) throw new Error(`${key} is not at its place`)
      }
      events.add(['open', name, depth, values])
    },
    close: (name, depth) => events.add(['close', name, depth]),
    ...(text ? { text: (part: string) => events.text(part) } : {}),
  })
  for (const piece of pieces) reader.write(piece)
  reader.end()
  return events.all
}

/** Returns the events of `saxes`. Throws if it refuses the document. */
export function theirs(document: string, text = false): XmlEvent[] {
  const events = new Events()
  const parser = new SaxesParser()
  let depth = 0
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', tag => events.add(['open', tag.name, depth++, { ...tag.attributes }]))
  parser.on('closetag', tag => events.add(['close', tag.name, --depth]))
  if (text) {
    parser.on('text', part => depth > 0 && events.text(part))
    parser.on('cdata', part => events.text(part))
  }
  parser.write(document).close()
  return events.all
}

/** Splits the bytes of a document into pieces at these positions. */
export function cut(document: string | Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(document as string)
  const at = [0, ...cuts.map(each => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((to, i) => Uint8Array.from(bytes.subarray(at[i], to)))
}

class Events {
  readonly all: XmlEvent[] = []

  add(event: XmlEvent): void {
    this.all.push(event)
  }

  text(part: string): void {
    const last = this.all.at(-1)
    const before = last?.[0] === 'text' ? last[1] : ''
    const text = (before + part).replace(/\r\n|[\r\n\t]/g, ' ')
    if (text === '') return
    if (last?.[0] === 'text') this.all.pop()
    this.all.push(['text', text])
  }
}
