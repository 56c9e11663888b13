/** The JSON splitter compared with `JSON.parse`, on documents cut anywhere and on invalid JSON. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonEvent, JsonItems } from '../../../../src/connectors/files/json/items.ts'
import type { JsonRecord } from '../../../../src/connectors/files/json/record.ts'
import { jsonRecords } from '../../../../src/connectors/files/json/records.ts'
import { ServiceError } from '../../../../src/core/errors.ts'
import { times } from '../../../kit/effort.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { seed } from '../../../kit/seed.ts'

const folder = temporaryFolder()
let files = 0

function split(
  bytes: Uint8Array,
  cuts: readonly number[],
  containers: readonly string[],
  onlyAt?: number,
): JsonEvent[] {
  const items = new JsonItems(containers, onlyAt)
  const at = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const events: JsonEvent[] = []
  for (let i = 1; i < at.length; i++) {
    items.write(Uint8Array.from(bytes.subarray(at[i - 1], at[i])))
    events.push(...items.take())
  }
  items.end()
  return [...events, ...items.take()]
}

/** Returns every value inside the walked containers, from parsing the whole document. */
function expected(value: unknown, depth: number, path: readonly (string | number)[] = []): unknown[] {
  const isContainer = typeof value === 'object' && value !== null
  if (path.length >= depth || !isContainer) return [[path, value]]
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((each, i) => [i, each] as const)
    : Object.entries(value)
  return members.flatMap(([key, each]) => expected(each, depth, [...path, key]))
}

test('yields the same values as JSON.parse, at any depth, however the document is split and spaced', () => {
  const key = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '"', '\\', '{', ']', ',', '🏃'), maxLength: 4 })
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      key,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(null, true, false),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        key.filter(each => each !== '__proto__'),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  }))
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(undefined, 1, '\t'),
      fc.boolean(),
      fc.array(fc.nat(), { maxLength: 6 }),
      (documents, depth, indent, hasBom, cuts) => {
        // JSON cannot represent -0
        const plain = documents.map(each => JSON.parse(JSON.stringify(each)) as unknown)
        const text = plain.map(each => JSON.stringify(each, null, indent)).join('\n')
        const containers = ['*', '*.*'].slice(0, depth - 1)
        const events = split(Buffer.from(`${hasBom ? '\ufeff' : ''}${text}`), cuts, containers)
        const values = events.flatMap(event => (event.kind === 'value' ? [[event.path, event.value]] : []))
        expect(values).toEqual(plain.flatMap(each => expected(each, depth)))
        expect(events.filter(event => event.kind === 'end')).toHaveLength(plain.length)
      },
    ),
    { seed, numRuns: times(80) },
  )
})

test('either reads or refuses any bytes', () => {
  const bytes = fc.array(fc.constantFrom(...Buffer.from('{}[]:,"\\a1 \n'), 0xff), { maxLength: 40 })
  fc.assert(
    fc.property(bytes, given => {
      try {
        split(Uint8Array.from(given), [], ['*'])
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError)
      }
    }),
    { seed, numRuns: times(200) },
  )
})

test('reports the byte at which a value starts, and which value is invalid, and continues', () => {
  expect(split(Buffer.from('{"data":[{"a":1},{"a":,},{"a":2}],"x":01}'), [], ['data'])).toEqual([
    { kind: 'value', path: ['data', 0], byte: 9, value: { a: 1 } },
    { kind: 'broken', path: ['data', 1], byte: 17 },
    { kind: 'value', path: ['data', 2], byte: 25, value: { a: 2 } },
    { kind: 'broken', path: ['x'], byte: 38 },
    { kind: 'end', byte: 41 },
  ])
})

test('skips members that are not requested', () => {
  const text = '{"data":{"metrics":[{"name":"x","data":[{"qty":1}]},{"data":[],"name":"y"}],"other":[1]}}'
  const events = split(Buffer.from(text), [], ['data.*', 'data.metrics.*.data'], 4)
  expect(events.flatMap(event => (event.kind === 'value' ? [[event.path.join('.'), event.value]] : []))).toEqual([
    ['data.metrics.0.name', 'x'],
    ['data.metrics.1.name', 'y'],
  ])
})

test.each([
  ['a missing comma', '[1 2]', /a comma or \] is missing at byte 3/],
  ['a missing colon', '{"a" 1}', /a colon is missing at byte 5/],
  ['a missing value', '{"a":}', /a value is missing at byte 5/],
  ['a comma too many', '{"a":1,}', /a key is missing at byte 7/],
  ['the wrong bracket', '[1}', /a comma or \] is missing at byte 2/],
  ['a file cut off in a list', '[{"a":1},{"a"', /cut off: it ends at byte 13/],
  ['a file cut off in an object', '{"a":1', /cut off/],
  ['UTF-16', Buffer.from('\ufeff[1]', 'utf16le'), /UTF-16/],
  ['a value nested too deep', `[${'['.repeat(100)}`, /nested deeper than 64/],
  ['a value that is too large', `["${'x'.repeat(17 * 1_048_576)}"]`, /larger than 16 MiB/],
])('refuses %s', (_what, content, message) => {
  expect(() => split(Buffer.from(content as string), [], [])).toThrow(message)
})

async function records(
  content: string,
  list: string | null = null,
): Promise<{ records: JsonRecord[]; error: unknown }> {
  const path = join(folder, `json-${files++}`)
  writeFileSync(path, content)
  const found: JsonRecord[] = []
  let error: unknown
  try {
    for await (const read of jsonRecords({ path, sizeBytes: 0 }, list, undefined)) found.push(...read.records)
  } catch (thrown) {
    error = thrown
  }
  return { records: found, error }
}

test.each([
  ['one document', '{\n "a": 1\n}', [{ kind: 'document', value: { a: 1 }, position: 'byte 0' }]],
  ['one document in one line', '{"a":1}\n\n', [{ kind: 'document', value: { a: 1 }, position: 'byte 0' }]],
  [
    'a list',
    '[{"a":1},\n{"a":2}]',
    [
      { kind: 'document', value: { a: 1 }, position: 'entry 1' },
      { kind: 'document', value: { a: 2 }, position: 'entry 2' },
    ],
  ],
  [
    'lines, with one that is none and an empty one',
    '\n{"a":1}\r\n{"a":\n\n{"a":2}',
    [
      { kind: 'document', value: { a: 1 }, position: 'line 2' },
      { kind: 'broken', position: 'line 3' },
      { kind: 'document', value: { a: 2 }, position: 'line 5' },
    ],
  ],
  [
    'a document around a list',
    '{"entry":[{"a":1},{"a":2}],"type":"x"}',
    [
      { kind: 'element', value: { a: 1 }, position: 'entry 1' },
      { kind: 'element', value: { a: 2 }, position: 'entry 2' },
      { kind: 'document', value: { type: 'x' }, position: 'byte 0' },
    ],
  ],
])('finds the records of %s', async (_what, content, expectedRecords) => {
  expect(await records(content as string, 'entry')).toEqual({ records: expectedRecords, error: undefined })
})

test('yields the records before the damage, and reports its position', async () => {
  const { records: found, error } = await records('[{"a":1},{"a":2},{"a":')
  expect(found).toHaveLength(2)
  expect(error).toMatchObject({ code: 'invalid_file', message: expect.stringMatching(/cut off: it ends at byte 22/) })
})

test('treats the names of object members like any other key', async () => {
  const { records: found } = await records('{"__proto__":{"x":1},"constructor":2}')
  expect(Object.keys((found[0] as { value: object }).value)).toEqual(['__proto__', 'constructor'])
})
