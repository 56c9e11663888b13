/** The text of elements compared with another XML reader, wherever the bytes are cut. */
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { hasRoot } from '../../../src/connectors/files/xml/elements.ts'
import { XmlReader } from '../../../src/connectors/files/xml/reader.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'

const words = fc.string({ unit: fc.constantFrom('a', '7', ' ', '\n', 'ü', '名', '🏃', '-', '>', '?'), maxLength: 8 })
const part = fc.oneof(
  words,
  fc.constantFrom('&lt;', '&amp;', '&#x1F3C3;', '&#252;', '&quot;'),
  words.map(text => `<![CDATA[${text.replaceAll(']]>', '')}<&]]>`),
  words.map(text => `<!--${text.replaceAll('-', '')}-->`),
  fc.constantFrom('<?pi x?>'),
)
const { element } = fc.letrec<{ element: string }>(tie => ({
  element: fc
    .tuple(
      fc.constantFrom('a', 'ns:b', 'é'),
      fc.array(fc.oneof({ weight: 3, arbitrary: part }, { weight: 1, arbitrary: tie('element') }), { maxLength: 5 }),
    )
    .map(([name, inside]) => (inside.length === 0 ? `<${name}/>` : `<${name}>${inside.join('')}</${name}>`)),
}))

/** The events reported for a document, with adjacent texts joined and white space normalized. */
class Told {
  readonly events: string[] = []
  private held = ''
  text(text: string): void {
    this.held += text
  }
  open(name: string): void {
    this.end()
    this.events.push(`<${name}`)
  }
  close(name: string): void {
    this.end()
    this.events.push(`/${name}`)
  }
  private end(): void {
    const text = this.held.replace(/\s+/g, ' ')
    if (text !== '') this.events.push(text)
    this.held = ''
  }
}

test('reports the same texts as another reader', () => {
  fc.assert(
    fc.property(element, fc.array(fc.nat(), { maxLength: 12 }), (xml, cuts) => {
      const known = new Told()
      const saxes = new SaxesParser()
      saxes.on('opentag', tag => known.open(tag.name))
      saxes.on('closetag', tag => known.close(tag.name))
      saxes.on('text', text => known.text(text))
      saxes.on('cdata', text => known.text(text))
      saxes.write(xml).close()

      const told = new Told()
      const reader = new XmlReader(told)
      const bytes = Buffer.from(xml)
      const at = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
      for (let i = 1; i < at.length; i++) reader.write(bytes.subarray(at[i - 1], at[i]))
      reader.end()
      expect(told.events).toEqual(known.events)
    }),
    { seed, numRuns: times(200) },
  )
})

test('recognizes a root element with any prefix, and in UTF-16, so that the message can say what is wrong', () => {
  for (const text of [
    '<gpx>',
    '<x:gpx a="1">',
    '\ufeff\n<?xml version="1.0"?><!-- <a> --><gpx\n',
    '<!DOCTYPE gpx><gpx/>',
  ]) {
    expect(hasRoot(Buffer.from(text), 'gpx')).toBe(true)
  }
  expect(hasRoot(Buffer.from('\ufeff<gpx>', 'utf16le'), 'gpx')).toBe(true)
  for (const text of ['<gpxx>', '<a><gpx>', '<x:y:gpx>', 'gpx', '<x gpx=""/>']) {
    expect(hasRoot(Buffer.from(text), 'gpx')).toBe(false)
  }
})
