/** The XML reader against an independent one, on generated documents cut anywhere, and on what is not XML. */
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { XmlReader } from '../../../src/connectors/files/apple-xml.ts'

type Event = readonly ['open', string, number, Readonly<Record<string, string>>] | readonly ['close', string, number]

function ours(pieces: readonly Uint8Array[]): Event[] {
  const events: Event[] = []
  const reader = new XmlReader({
    open(name, attributes, depth) {
      const values: Record<string, string> = {}
      for (let i = 0; i < attributes.count; i++) values[attributes.name(i)] = attributes.value(i)
      for (const key of ['type', 'value', 'startDate']) expect(attributes.getWord(key)).toBe(values[key])
      events.push(['open', name, depth, values])
    },
    close: (name, depth) => events.push(['close', name, depth]),
  })
  for (const piece of pieces) reader.write(piece)
  reader.end()
  return events
}

function theirs(document: string): Event[] {
  const events: Event[] = []
  const parser = new SaxesParser()
  let depth = 0
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', tag => events.push(['open', tag.name, depth++, { ...tag.attributes }]))
  parser.on('closetag', tag => events.push(['close', tag.name, --depth]))
  parser.write(document).close()
  return events
}

function cut(document: string, cuts: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(document)
  const at = [0, ...cuts.map(each => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((to, i) => Uint8Array.from(bytes.subarray(at[i], to)))
}

const name = fc.constantFrom('a', 'Record', 'HealthData', 'x-y.z', 'ns:tag', 'é', '名')
const space = fc.constantFrom(' ', '\n', '\t', ' \r\n  ')
const anyText = fc.string({
  unit: fc.constantFrom('a', '1', ' ', '\t', '\n', '\r\n', '>', ']', '-', '/', '=', '’', 'ü', '🏃', '\u00a0', '?'),
  maxLength: 12,
})
const reference = fc.constantFrom(
  '&amp;',
  '&lt;',
  '&gt;',
  '&quot;',
  '&apos;',
  '&#65;',
  '&#x1F3C3;',
  '&#10;',
  '&amp;lt;',
)
const attribute = fc
  .tuple(
    fc.constantFrom('type', 'value', 'startDate', 'é'),
    fc.array(fc.oneof(anyText, reference), { maxLength: 4 }),
    fc.boolean(),
    space,
  )
  .map(([key, parts, single, gap]) => {
    const value = parts.join('') + (single ? '"' : "'")
    return { key, text: `${gap}${key}${single ? ` = '${value}'` : `="${value}"`}` }
  })
const attributes = fc
  .uniqueArray(attribute, { selector: each => each.key, maxLength: 4 })
  .map(list => list.map(each => each.text).join(''))
const misc = fc.oneof(
  anyText.map(text => `<!--${text.replaceAll('-', '')}<a b=">-->`),
  anyText.map(text => `<?pi ${text.replaceAll('?', '')}<x>?>`),
)
const cdata = anyText.map(text => `<![CDATA[${text.replaceAll(']', '')}<b c="]]&x;]]>`)
const text = anyText.map(each => each.replaceAll(']', '').replaceAll('>', ''))
const { element } = fc.letrec<{ element: string }>(tie => ({
  element: fc
    .tuple(
      name,
      attributes,
      space,
      fc.array(fc.oneof({ depthSize: 'small' }, text, reference, misc, cdata, tie('element')), { maxLength: 4 }),
    )
    .map(([tag, list, gap, children]) =>
      children.length === 0 ? `<${tag}${list}${gap}/>` : `<${tag}${list}>${children.join('')}</${tag}${gap}>`,
    ),
}))
const doctype = fc.constantFrom(
  '',
  '<!DOCTYPE a>',
  '<!DOCTYPE a SYSTEM "x[y]>z">',
  `<!DOCTYPE HealthData [
<!-- it's a "comment" ]> with <!ELEMENT x> -->
<!ELEMENT HealthData (Record|Workout)*>
<!ATTLIST Record type CDATA #REQUIRED unit CDATA "]>" >
<?pi ]> ?>
<!ENTITY lol 'ha">]'>
] >`,
)
const document = fc
  .tuple(fc.constantFrom('', '\ufeff'), fc.boolean(), doctype, misc, element, misc)
  .map(([bom, declared, type, before, root, after]) =>
    [bom, declared ? '<?xml version="1.0" encoding="UTF-8"?>\n' : '', type, before, root, after, '\n'].join(''),
  )

test('reports the same elements and attribute values as another reader, wherever the bytes are cut', () => {
  const seed = Date.now()
  console.log(`apple-xml property seed ${seed}`)
  fc.assert(
    fc.property(document, fc.array(fc.nat(), { maxLength: 12 }), (doc, cuts) => {
      expect(ours(cut(doc, cuts))).toEqual(theirs(doc))
    }),
    { seed, numRuns: 400 },
  )
})

test('reads a document given byte by byte', () => {
  const doc =
    '\ufeff<?xml version="1.0"?><!DOCTYPE a [<!-- ]> -->]><a b="1 &lt; 2"><!-- x --><c d=\'é\'/><![CDATA[</a>]]></a>'
  expect(ours([...Buffer.from(doc)].map(byte => Uint8Array.of(byte)))).toEqual(theirs(doc))
})

test('lets control characters in attribute values through', () => {
  expect(ours([Buffer.from('<a b="x\u000by\u0001"/>')])[0]).toEqual(['open', 'a', 0, { b: 'x\u000by\u0001' }])
})

test('never expands an entity that the document declares', () => {
  const doc = '<!DOCTYPE a [<!ENTITY x "boom"><!ENTITY y "&x;&x;">]><a b="&y;"/>'
  expect(ours([Buffer.from(doc)])[0]).toEqual(['open', 'a', 0, { b: '&y;' }])
})

test('passes over a document type that is not well-formed itself', () => {
  const doc = '<!DOCTYPE a [\n<!ATTLIST b c CDATA #REQUIRED\n<!ELEMENT d EMPTY>\n]>\n<a/>'
  expect(ours([Buffer.from(doc)])).toHaveLength(2)
})

test.each([
  ['', /not XML/],
  ['   \n', /not XML/],
  ['{"a":1}', /not XML/],
  ['<a><b></a>', /does not match/],
  ['<a><b/>', /cut off: it ends before the closing <\/a>/],
  ['<a b="1', /never ends/],
  ['<a b=1/>', /without quotes/],
  ['<a b/>', /without a value/],
  ['<a b="<"/>', /inside a tag/],
  ['<a/><b/>', /second document/],
  ['<a/>x', /after the end/],
  ['<a b="\u0000"/>', /NUL/],
  ['<!WHAT ><a/>', /unknown declaration/],
  [`${'<a>'.repeat(65)}`, /64 deep/],
  [`<a b="${'x'.repeat(1_100_000)}`, /more than 1 MiB/],
])('refuses what is not well-formed: case %#', (doc, message) => {
  expect(() => ours([Buffer.from(doc as string)])).toThrow(
    expect.objectContaining({ code: 'invalid_file', message: expect.stringMatching(message as RegExp) }),
  )
})
