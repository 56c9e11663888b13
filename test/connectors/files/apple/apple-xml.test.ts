/** The XML reader on hand-picked documents: cut byte by byte, hostile, and not XML. */
import { expect, test } from 'vitest'
import { ours, theirs } from '../xml-events.ts'

test('reads a document that arrives byte by byte', () => {
  const doc =
    '\ufeff<?xml version="1.0"?><!DOCTYPE a [<!-- ]> -->]><a b="1 &lt; 2"><!-- x --><c d=\'é\'/><![CDATA[</a>]]></a>'
  expect(ours([...Buffer.from(doc)].map(byte => Uint8Array.of(byte)))).toEqual(theirs(doc))
})

test('accepts control characters in attribute values', () => {
  expect(ours([Buffer.from('<a b="x\u000by\u0001"/>')])[0]).toEqual(['open', 'a', 0, { b: 'x\u000by\u0001' }])
})

test('never expands an entity that the document declares', () => {
  const doc = '<!DOCTYPE a [<!ENTITY x "boom"><!ENTITY y "&x;&x;">]><a b="&y;"/>'
  expect(ours([Buffer.from(doc)])[0]).toEqual(['open', 'a', 0, { b: '&y;' }])
})

test('skips a malformed document type', () => {
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
  [`${'<a>'.repeat(65)}`, /more than 64 levels deep/],
  [`<a b="${'x'.repeat(1_100_000)}`, /more than 1 MiB/],
])('refuses malformed documents: case %#', (doc, message) => {
  expect(() => ours([Buffer.from(doc as string)])).toThrow(
    expect.objectContaining({ code: 'invalid_file', message: expect.stringMatching(message as RegExp) }),
  )
})
