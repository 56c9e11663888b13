/** Random XML documents, well-formed and full of content that confuses readers. */
import fc from 'fast-check'

const LONG = `n${'a'.repeat(120)}`
const name = fc.constantFrom('a', 'Record', 'Recorder', 'HealthData', 'x-y.z', 'ns:tag', 'é', '名', LONG)
const attributeName = fc.constantFrom('type', 'typed', 'value', 'startDate', 'key', 'é', LONG)
const space = fc.constantFrom(' ', ' ', '\n', '\t', ' \r\n  ')
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
  .record({
    key: attributeName,
    parts: fc.array(fc.oneof(anyText, reference), { maxLength: 4 }),
    isUsual: fc.boolean(),
    gap: space,
  })
  .map(({ key, parts, isUsual, gap }) => {
    const value = parts.join('')
    return { key, text: isUsual ? ` ${key}="${value}'"` : `${gap}${key}${gap}= '${value}"'` }
  })
const attributes = fc
  .uniqueArray(attribute, { selector: each => each.key, maxLength: 5 })
  .map(list => list.map(each => each.text).join(''))

/** Comments and processing instructions that look like markup. */
const misc = fc.oneof(
  anyText.map(text => `<!--${text.replaceAll('-', '')}<a b=">-->`),
  anyText.map(text => `<?pi ${text.replaceAll('?', '')}<x>'?>`),
)
const cdata = anyText.map(text => `<![CDATA[${text.replaceAll(']', '')}<b c="]]&x;]]>`)
const text = anyText.map(each => each.replaceAll(']', '').replaceAll('>', ''))

/** Elements that repeat, as records do: the same names in the same order, occasionally with one more or fewer. */
const repeated = fc
  .record({
    tag: name,
    keys: fc.uniqueArray(attributeName, { minLength: 1, maxLength: 5 }),
    rows: fc.array(fc.record({ value: anyText, without: fc.nat(7), isEmpty: fc.boolean(), inside: fc.boolean() }), {
      minLength: 2,
      maxLength: 8,
    }),
  })
  .map(({ tag, keys, rows }) =>
    rows
      .map(({ value, without, isEmpty, inside }) => {
        const list = keys.filter((_, i) => i !== without).map((key, i) => ` ${key}="${value}${i}"`)
        const child = inside ? `<m key="${value}"/>` : ''
        return isEmpty ? ` <${tag}${list.join('')}/>` : `\n<${tag}${list.join('')}>${child}</${tag}>`
      })
      .join(''),
  )

const { element } = fc.letrec<{ element: string }>(tie => ({
  element: fc
    .tuple(
      name,
      attributes,
      space,
      fc.array(fc.oneof({ depthSize: 'small' }, text, reference, misc, cdata, repeated, tie('element')), {
        maxLength: 4,
      }),
    )
    .map(([tag, list, gap, children]) =>
      children.length === 0 ? `<${tag}${list}${gap}/>` : `<${tag}${list}>${children.join('')}</${tag}${gap}>`,
    ),
}))

const quoted = fc.constantFrom('"it\'s ]> <x>"', '\'a "b" > ]\'', '"&#38;"', '""')
const declaration = fc.oneof(
  quoted.map(value => `<!ATTLIST a b CDATA ${value}>`),
  quoted.map(value => `<!ENTITY e${value.length} ${value}>`),
  fc.constantFrom('<!ELEMENT a (b|c)*>', '<!NOTATION n PUBLIC "x">', '<!ENTITY % p SYSTEM "p>.dtd">'),
  anyText.map(each => `<!-- ${each.replaceAll('-', '')} it's "one ]> -->`),
  fc.constant('<?pi it\'s "]> ?>'),
)
const doctype = fc.oneof(
  fc.constantFrom('', '<!DOCTYPE a>', '<!DOCTYPE a SYSTEM "x[y]>z">', '<!DOCTYPE a PUBLIC \'-//p\' "x>">'),
  fc
    .tuple(fc.array(fc.tuple(declaration, space), { maxLength: 6 }), space)
    .map(([list, gap]) => `<!DOCTYPE a${gap}[${gap}${list.flat().join('')}]${gap}>`),
)

const documentWith = (type: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom('', '\ufeff'), fc.boolean(), type, misc, element, misc)
    .map(([bom, isDeclared, doctypeText, before, root, after]) => {
      const declaration = isDeclared ? '<?xml version="1.0" encoding="UTF-8"?>\n' : ''
      return [bom, declaration, doctypeText, before, root, after, '\n'].join('')
    })

export const xmlDocument = documentWith(doctype)

/** Positions at which to split or change a document. */
export const xmlPositions = fc.array(fc.nat(), { maxLength: 12 })

/**
 * A document with a few characters replaced by others that have a meaning in XML. It has no document type, because readers differ in how
 * they handle a damaged one.
 */
export const spoiltDocument = fc
  .tuple(
    documentWith(fc.constant('')),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'<>"\'=/& ;![]-?xa\n', '', '<a>', '</a>', '-->', ']]>')), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([document, changes]) =>
    changes
      .reduce(
        (characters, [position, by]) => characters.toSpliced(position % (characters.length + 1), 1, by),
        [...document],
      )
      .join(''),
  )
