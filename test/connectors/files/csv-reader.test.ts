/** The reader of tables: generated tables that are cut anywhere, and files that are not tables. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CsvParser, type CsvRow, csvRows, detectSeparator } from '../../../src/connectors/files/csv/reader.ts'
import { firstRows } from '../../../src/core/csv/text.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { times } from '../../kit/effort.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { seed } from '../../kit/seed.ts'

const folder = temporaryFolder()

function parse(bytes: Uint8Array, cuts: readonly number[], separator: string): readonly CsvRow[] {
  const parser = new CsvParser(separator)
  const at = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const rows: CsvRow[] = []
  for (let i = 1; i < at.length; i++) {
    parser.write(Uint8Array.from(bytes.subarray(at[i - 1], at[i])))
    rows.push(...parser.take())
  }
  parser.end()
  return [...rows, ...parser.take()]
}

function readCells(text: string, separator = ','): (readonly string[] | null)[] {
  return parse(Buffer.from(text), [], separator).map(row => row.cells)
}

function quoted(cell: string, separator: string): string {
  return [separator, '"', '\n', '\r'].some(each => cell.includes(each)) ? `"${cell.replaceAll('"', '""')}"` : cell
}

test('reads any table back, wherever the bytes are split', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', '1', ' ', ',', ';', '\t', '"', '\n', '\r\n', '\r', 'é', '🏃', '.'),
  })
  fc.assert(
    fc.property(
      fc.constantFrom(',', ';', '\t'),
      fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      fc.boolean(),
      fc.array(fc.nat(), { maxLength: 8 }),
      (separator, table, lineEnd, hasBom, endsLine, cuts) => {
        const text = table.map(row => row.map(each => quoted(each, separator)).join(separator)).join(lineEnd)
        const bytes = Buffer.from(`${hasBom ? '\ufeff' : ''}${text}${endsLine ? lineEnd : ''}`)
        expect(parse(bytes, cuts, separator).map(row => row.cells)).toEqual(table)
      },
    ),
    { seed, numRuns: times(80) },
  )
})

test('reads the same rows as the console’s preview of a file', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', ';', ';', '"', '"', '\n', '\r\n', '\r', 'é'),
    maxLength: 40,
  })
  fc.assert(
    fc.property(fc.constantFrom('', 'sep=;\n', 'sep=;\r\n'), text, (start, rest) => {
      const most = 1_000
      let rows: readonly (readonly string[] | null)[] | undefined
      try {
        rows = readCells(`${start}${rest}`, ';')
      } catch {
        return // an open quote is refused, and only the preview shows the rows before it
      }
      expect(firstRows(`${start}${rest}`, ';', most)).toEqual(rows)
    }),
    { seed, numRuns: times(400) },
  )
  expect(firstRows('a,b\n1,2\n3,4\n', ',', 2)).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
})

test('either reads or refuses any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(fc.nat(), { maxLength: 4 }), (bytes, cuts) => {
      try {
        parse(bytes, cuts, ',')
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError)
      }
    }),
    { seed, numRuns: times(120) },
  )
})

test('reports the line on which a row starts, across empty and quoted lines', () => {
  const rows = parse(Buffer.from('a,b\r\n\r\n"x\r\ny",1\nz,2\r3,4'), [], ',')
  expect(rows).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 3, cells: ['x\r\ny', '1'] },
    { line: 5, cells: ['z', '2'] },
    { line: 6, cells: ['3', '4'] },
  ])
})

test('reads a quote inside a field literally, and drops a row with text after a closing quote', () => {
  expect(readCells('5" pipe,x\n"a"b,c\nd,e')).toEqual([['5" pipe', 'x'], null, ['d', 'e']])
})

test.each([
  ['a,b;c,d\n1;2', ';'],
  ['a;b;c\n1,5;2,5;3,5', ';'],
  ['a\tb\n1,5\t2', '\t'],
  ['"a,b,c";d\n', ';'],
  ['\ufeffsep=;\na,b', ';'],
  ['title\na;b', ';'],
  ['Exported: 1 March, 08:00\nTime;Value\n2025-03-01;72,5\n2025-03-02;72,1', ';'],
  ['a,b\n1,x;y\n2,z', ','],
  ['alone', ','],
])('finds the separator of %j', (text, separator) => {
  expect(detectSeparator(Buffer.from(text))).toBe(separator)
})

test('skips a line that declares the separator', () => {
  expect(readCells('sep=;\r\na;b', ';')).toEqual([['a', 'b']])
})

function refusal(bytes: Uint8Array): string {
  try {
    parse(bytes, [], ',')
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_file', exitCode: 2 })
    return (error as ServiceError).message
  }
  return ''
}

test.each([
  [
    'bytes that are not UTF-8',
    Buffer.from([...Buffer.from('a,b\n1,'), 0xe9, 0x0a]),
    /line 2 holds bytes that are not UTF-8/,
  ],
  ['zero bytes', Buffer.from('a,b\nx\0y,1\n'), /line 2 holds zero bytes/],
  ['UTF-16', Buffer.from('\ufeffa,b\n1,2', 'utf16le'), /UTF-16/],
  ['UTF-16 without its mark', Buffer.from('a,b\n1,2', 'utf16le'), /UTF-16/],
  ['a quote that is never closed', Buffer.from('a,b\n1,"x\n2,3\n'), /opened in line 2 and never closed/],
  ['a line without end', Buffer.from(`a,b\n${'x'.repeat(1_100_000)}`), /line 2 is longer than 1 MiB/],
  ['a quote without end', Buffer.from(`a,b\n"${'x\n'.repeat(600_000)}`), /line 2 is longer than 1 MiB \(a quote/],
])('refuses %s, with the position', (_what, bytes, message) => {
  expect(refusal(bytes)).toMatch(message)
})

test('yields the rows before the damage', async () => {
  const path = join(mkdtempSync(join(folder, 'csv-')), 'file')
  writeFileSync(path, Buffer.concat([Buffer.from('a,b\n1,2\n3,'), Buffer.from([0xff]), Buffer.from('\n5,6\n')]))
  const rows: CsvRow[] = []
  await expect(async () => {
    for await (const read of csvRows({ path, sizeBytes: 0 }, undefined)) rows.push(...read.rows)
  }).rejects.toThrow(/line 3/)
  expect(rows.map(row => row.cells)).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
})

test('refuses an endless line without keeping it in memory', () => {
  const parser = new CsvParser(',')
  const piece = Buffer.alloc(262_144, 'x')
  let written = 0
  expect(() => {
    for (; written < 8_000; written++) parser.write(piece)
  }).toThrow(/longer than 1 MiB/)
  expect(written).toBeLessThan(6)
})
