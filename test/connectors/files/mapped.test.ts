/** How rows of any CSV or NDJSON are converted by a mapping. */
import { expect, test } from 'vitest'
import { importerFor } from '../../../src/connectors/files/formats.ts'
import { mappedCsv, mappedNdjson } from '../../../src/connectors/files/mapped/mapped.ts'
import { type MappingOptions, parseMapping } from '../../../src/connectors/files/mapped/mapping.ts'
import { mappedOffset } from '../../../src/connectors/files/mapped/time.ts'
import { type RecordsRead, readContent, reasons } from './record-files.ts'

function csv(
  content: string,
  pairs: readonly string[],
  options: MappingOptions,
  context: object = {},
): Promise<RecordsRead> {
  return readContent(mappedCsv, content, { mapping: parseMapping(pairs, options), ...context })
}
function ndjson(content: string, pairs: readonly string[], options: MappingOptions): Promise<RecordsRead> {
  return readContent(mappedNdjson, content, { mapping: parseMapping(pairs, options) })
}
const PLAIN = ['start=Time', 'value=Value'] as const

test('uses start as the time of a point, and as its end by default', async () => {
  const read = await csv('Time,Value\n2025-03-01T08:00:00,62\n', PLAIN, {
    resource: 'heartrate',
    timeZone: 'Europe/Berlin',
  })
  expect(read).toMatchObject({ records: 1, skipped: {}, error: undefined })
  expect(read.samples).toMatchObject([
    {
      resource: 'heartrate',
      provider: 'manual',
      sourceType: 'unknown',
      start: '2025-03-01T07:00:00.000Z',
      end: '2025-03-01T07:00:00.000Z',
      offset: 3600,
      value: 62,
    },
  ])
})

test('reads the end of an interval, and accepts column names in any case and with surrounding blanks', async () => {
  const content = '\ufeff From ;until;"STEPS; all"\r\n2025-03-01 08:00;2025-03-01 09:00;512\r\n'
  const read = await csv(content, ['start=from', 'end=Until', 'value=steps; all'], { resource: 'steps' })
  expect(read.samples).toMatchObject([
    { start: '2025-03-01T08:00:00.000Z', end: '2025-03-01T09:00:00.000Z', value: 512, offset: null },
  ])
})

test('prefers the time zone of the mapping to that of the user', async () => {
  const content = 'Time,Value\n2025-03-01,1\n'
  const inUser = await csv(content, PLAIN, { resource: 'steps' }, { timeZone: 'America/New_York' })
  expect(inUser.samples[0]?.start).toBe('2025-03-01T05:00:00.000Z')
  const own = await csv(content, PLAIN, { resource: 'steps', timeZone: 'Asia/Tokyo' }, { timeZone: 'America/New_York' })
  expect(own.samples[0]?.start).toBe('2025-02-28T15:00:00.000Z')
})

test.each([
  ['2025-03-01T08:00:00+02:00', '2025-03-01T06:00:00.000Z', 7200],
  ['2025-03-01T08:00:00Z', '2025-03-01T08:00:00.000Z', null],
  ['2025-03-01 08:00:00.5', '2025-03-01T08:00:00.500Z', null],
  ['2025/03/01 08:00', '2025-03-01T08:00:00.000Z', null],
  ['31.12.2024 08:00', '2024-12-31T08:00:00.000Z', null],
  ['12/31/2024 8:00 PM', '2024-12-31T20:00:00.000Z', null],
  ['1740816000', '2025-03-01T08:00:00.000Z', null],
  ['1740816000.25', '2025-03-01T08:00:00.250Z', null],
  ['1740816000123', '2025-03-01T08:00:00.123Z', null],
])('reads %s as a time', async (time, start, offset) => {
  const read = await csv(`Time,Value\n${time},1\n`, PLAIN, { resource: 'steps' })
  expect(read.samples).toMatchObject([{ start, offset }])
})

test('reads two-digit years, and the order of day and month from the whole file', async () => {
  const content = 'Time,Value\n,1\n1/2/25,1\n'
  const open = await csv(content, PLAIN, { resource: 'steps' })
  expect(open.error?.message).toBe(
    'date_order: 1/2/25 (line 3) can be 1 February or 2 January; add --date-order dmy or mdy',
  )
  const told = await csv(content, PLAIN, { resource: 'steps' }, { dateOrder: 'dmy' })
  expect(told.samples[0]?.start).toBe('2025-02-01T00:00:00.000Z')
  const later = await csv(`${content}${'1/2/25,1\n'.repeat(1500)}13/2/25,1\n`, PLAIN, { resource: 'steps' })
  expect(later.samples[0]?.start).toBe('2025-02-01T00:00:00.000Z')
  expect(later.dateOrder).toEqual({ order: 'dmy', basis: 'file', place: 'line 1504' })
})

test('reads dates in another format far down in the file', async () => {
  const content = `Time,Value\n${'2025-01-01,1\n'.repeat(1500)}1/2/25,1\n13/2/25,1\n`
  const read = await csv(content, PLAIN, { resource: 'steps' })
  expect(read).toMatchObject({ skipped: {}, dateOrder: { order: 'dmy', basis: 'file', place: 'line 1503' } })
  expect(read.samples.at(-2)?.start).toBe('2025-02-01T00:00:00.000Z')
})

test('finds the header below lines that a program wrote above it', async () => {
  const content = [
    '\ufeffDevice: Scale 3',
    'Owner,Canary Person,,',
    'Exported,2025-03-02',
    '',
    'Time,Value,Unit,',
    '2025-03-01T08:00,150,lb,',
    '2025-03-02T08:00,70,kg,',
  ].join('\r\n')
  const read = await csv(content, [...PLAIN, 'unit=Unit'], { resource: 'body_weight' })
  expect(read).toMatchObject({ records: 2, skipped: {}, samples: [{ value: 68.038856 }, { value: 70 }] })
  expect(importerFor(Buffer.from(content)).format).toBe('csv')
  const unmapped = await readContent(mappedCsv, content)
  expect(unmapped.error?.message).toContain('Its columns: "Time", "Value", "Unit".')
  expect(unmapped.error?.body).toMatchObject({ detail: [{ ctx: { columns: ['Time', 'Value', 'Unit'] } }] })
  const wrong = await csv(content, ['start=Tmie', 'value=Value'], { resource: 'body_weight' })
  expect(wrong.error?.message).toMatch(/Did you mean "Time"\?/)
  expect(`${unmapped.error?.message}${wrong.error?.message}`).not.toMatch(/Canary|Scale/)
})

test('does not quote lines above a table without a header', async () => {
  const content = 'Canary Person\nGlucose 104, high\nGlucose 99, low\n'
  for (const read of [await readContent(mappedCsv, content), await csv(content, PLAIN, { resource: 'steps' })]) {
    expect(read.error?.message).toMatch(/first lines look like data/)
    expect(read.error?.message).not.toMatch(/Canary|104|high/)
  }
})

test('reads a date column and a time column', async () => {
  const content = [
    'Datum;Uhrzeit;Puls',
    '01.02.25;08:05;61',
    '13.02.25;7:59;62',
    '2025-02-14;11:05 PM;63',
    '14.02.25;;64',
    '14.02.25;noon;65',
  ].join('\n')
  const read = await csv(content, ['date=Datum', 'time=Uhrzeit', 'value=Puls'], {
    resource: 'heartrate',
    timeZone: 'Europe/Berlin',
  })
  expect(read.samples.map(each => each.start.slice(0, 16))).toEqual([
    '2025-02-01T07:05',
    '2025-02-13T06:59',
    '2025-02-14T22:05',
  ])
  expect(read.dateOrder).toEqual({ order: 'dmy', basis: 'file', place: 'line 3' })
  expect(reasons(read)).toEqual({
    'a row has no date or no time': 1,
    'a row has a date or a time that cannot be read': 1,
  })
  const lines = '{"d":"2/13/25","t":"8:05 AM","v":61}\n'
  const json = await ndjson(lines, ['date=d', 'time=t', 'value=v'], { resource: 'heartrate' })
  expect(json.samples[0]?.start).toBe('2025-02-13T08:05:00.000Z')
})

test.each([
  ['+02:00', 7200],
  ['-0800', -28_800],
  ['+05', 18_000],
  ['Z', 0],
  ['3600', 3600],
  ['-18000', -18_000],
  ['-1800', -1800],
  ['-1000', -36_000],
  ['530', undefined],
  ['Berlin', undefined],
])('reads the offset %s as %s seconds', (text, seconds) => {
  expect(mappedOffset(text)).toBe(seconds)
})

test('combines an offset and a local time into an instant', async () => {
  const content =
    'Time,Value,Zone\n2025-03-01T08:00:00,1,+02:00\n2025-03-01T08:00:00Z,2,-18000\n2025-03-01T08:00:00,3,\n'
  const read = await csv(content, [...PLAIN, 'timezone_offset=Zone'], { resource: 'steps' })
  expect(read.samples.map(each => [each.start.slice(11, 16), each.offset])).toEqual([
    ['06:00', 7200],
    ['08:00', -18_000],
    ['08:00', null],
  ])
})

test('converts units: one for all rows, or one for each row', async () => {
  const pounds = await csv('Time,Value\n2025-03-01,150\n', PLAIN, { resource: 'body_weight', unit: 'lb' })
  expect(pounds.samples).toMatchObject([{ value: 68.038856 }])
  const rows = 'Time,Value,Unit\n2025-03-01,150,lb\n2025-03-02,70.5,kg\n2025-03-03,70,\n2025-03-04,70,cubits\n'
  const mixed = await csv(rows, [...PLAIN, 'unit=Unit'], { resource: 'body_weight' })
  expect(mixed.samples.map(each => each.value)).toEqual([68.038856, 70.5, 70])
  expect(mixed.skipped).toEqual({
    'a row of body_weight has the unit cubits, which its resource does not support': { count: 1, places: ['line 5'] },
  })
})

test('reads the resource from each row, both values of a blood pressure, types, notes and tags', async () => {
  const content = [
    'Time,What,Value,Sys,Dia,Kind,Text,Tags,Unit',
    '2025-03-01T08:00,steps,10,,,,,,',
    '2025-03-01T08:00,blood_pressure,,120,80,,,,mm[Hg]',
    '2025-03-01T08:00,cholesterol,100,,,ldl,,,mg/dL',
    '2025-03-01T08:00,cholesterol,100,,,,,,mmol/L',
    '2025-03-01T08:00,insulin_injection,4,,,rapid_acting,,,U',
    '2025-03-01T08:00,note,,,,,"slept, well",food; exercise,',
    '2025-03-01T08:00,note,,,,,,,',
    '2025-03-01T08:00,stepps,1,,,,,,',
    '2025-03-01T08:00,,1,,,,,,',
  ].join('\n')
  const read = await csv(
    content,
    [
      'start=Time',
      'resource=What',
      'value=Value',
      'systolic=Sys',
      'diastolic=Dia',
      'type=Kind',
      'content=Text',
      'tags=Tags',
      'unit=Unit',
    ],
    {},
  )
  expect(read.samples).toMatchObject([
    { resource: 'steps', value: 10, type: null, text: {} },
    { resource: 'blood_pressure', value: 120, second: 80 },
    { resource: 'cholesterol', type: 'ldl', value: 2.585984, text: {} },
    { resource: 'insulin_injection', type: 'rapid_acting', value: 4 },
    { resource: 'note', value: 0, text: { content: 'slept, well', tags: '["food","exercise"]' } },
  ])
  expect(reasons(read)).toEqual({
    'a row of cholesterol has no type': 1,
    'a row of note has no content': 1,
    'a row has an unknown resource': 1,
    'a row does not name its resource': 1,
  })
})

test.each([
  ['"1,234"', ','],
  ['"1 234"', ','],
  ['12a', ','],
  ['Infinity', ','],
  ['0x10', ','],
  ['NaN', ','],
])('refuses the number %s between %s', async (value, separator) => {
  const content = `Time${separator}Value\n2025-03-01${separator}${value}\n`
  const read = await csv(content, PLAIN, { resource: 'steps' })
  expect(reasons(read)).toEqual({ 'a row has a value that is not a plain number': 1 })
})

test('reads a decimal comma if the separator is not a comma', async () => {
  const read = await csv('Time;Value\n2025-03-01;72,5\n2025-03-02;0,125\n', PLAIN, { resource: 'body_weight' })
  expect(read.samples.map(each => each.value)).toEqual([72.5, 0.125])
})

test.each([
  ['nothing else', '', []],
  ['decimal points', '1.5\n', [1.5, 1.234]],
  ['decimal commas', '1,5\n', [1.5, 1.234]],
  ['both', '1.5\n1,5\n', [1.5, 1.5]],
])('reads 1.234 or 1,234 next to %s in the same way, or not at all', async (what, others, expected) => {
  const given = what === 'decimal commas' ? '1,234' : '1.234'
  const rows = `${others}${given}\n`.trimEnd().split('\n')
  const read = await csv(`Time;Value\n${rows.map((value, i) => `2025-03-0${i + 1};${value}\n`).join('')}`, PLAIN, {
    resource: 'steps',
  })
  expect(read.samples.map(each => each.value)).toEqual(expected)
  const skipped =
    expected.length < rows.length ? { 'a row has a value that is ambiguous: decimals or thousands': 1 } : {}
  expect(reasons(read)).toEqual(skipped)
})

test.each([
  [';', '101,5', '1.234', 1234],
  [';', '101,5', '1.234,5', 1234.5],
  [';', '-101,25', '-1.234.567,8', -1_234_567.8],
  ['\t', '1.234,5', '2.345', 2345],
  [';', '1.234.567', '2.345', 2345],
  [';', '101.5', '1,234', 1234],
  [';', '101.5', '1,234.5', 1234.5],
  [';', '0,5', '1.234', 1234],
  [';', '5678,25', '1.234', 1234],
  [';', '1234,567', '12.345', 12_345],
  [';', '1.234,5', '850', 850],
  [',', '"101,5"', '1.234', 1234],
  [',', '"101,5"', '"1.234,5"', 1234.5],
  [',', '101.5', '1.234', 1.234],
  [',', '850', '1.234', 1.234],
])(
  'reads thousands where the other numbers show the decimal separator (%j, %s beside %s)',
  async (by, one, other, value) => {
    const content = `Time${by}Value\n2025-03-01${by}${one}\n2025-03-02${by}${other}\n`
    const read = await csv(content, PLAIN, { resource: 'water' })
    expect(read).toMatchObject({ skipped: {}, samples: [{}, { value }] })
  },
)

test.each([
  [',', '101.5', '"1,234"'],
  [';', '101,5', '1.23.4'],
  [';', '101,5', '12.34,5'],
  [';', '101.5', '1.234.5'],
])('skips what is not grouped in thousands (%s, %s beside %s)', async (by, one, other) => {
  const read = await csv(`Time${by}Value\n2025-03-01${by}${one}\n2025-03-02${by}${other}\n`, PLAIN, {
    resource: 'water',
  })
  expect(read.samples.map(each => each.value)).toEqual([Number(one.replace(',', '.'))])
  expect(reasons(read)).toEqual({ 'a row has a value that is not a plain number': 1 })
})

test('does not count a separator at the end of every row as another cell', async () => {
  const read = await csv('Time,Value\n2025-03-01,1,\n2025-03-02,2, \n', PLAIN, { resource: 'steps' })
  expect(read).toMatchObject({ records: 2, skipped: {}, samples: [{ value: 1 }, { value: 2 }] })
})

test('gives workouts IDs that belong to the user, and identifies a device by a UUID', async () => {
  const device = '0f0e0d0c-0b0a-4000-8000-00000000000d'
  const read = await csv(
    `Time,Value,W,D\n2025-03-01,1,run 7,${device}\n2025-03-02,2,run 7,\n2025-03-03,3,,my watch\n`,
    [...PLAIN, 'workout_id=W', 'device_id=D'],
    { resource: 'heartrate' },
  )
  const workout_id = expect.stringMatching(/^0f0e0d0c-0b0a-8/)
  expect(read.samples).toMatchObject([{ text: { workout_id, device_id: device } }, { text: { workout_id } }])
  expect(read.samples[0]?.text['workout_id']).toBe(read.samples[1]?.text['workout_id'])
  expect(reasons(read)).toEqual({ 'a row has a device_id that is not a UUID': 1 })
})

test.each([
  ['Latin-1', Buffer.from('Gr\u00f6\u00dfe,Value\n1,2\n', 'latin1'), /not UTF-8/],
  ['UTF-16', Buffer.from('\ufeffTime\tValue\n1\t2\n', 'utf16le'), /UTF-16/],
])('recognizes a table in %s and refuses it by name', async (_name, content, message) => {
  const importer = importerFor(content)
  expect(importer.format).toBe('csv')
  expect((await readContent(importer, content)).error).toMatchObject({
    code: 'invalid_file',
    message: expect.stringMatching(message),
  })
})

test('reports the entries of a list of objects whose dates contradict each other', async () => {
  const content = '[{"t":"13/02/2025","v":1},{"t":"02/13/2025","v":1}]'
  const read = await ndjson(content, ['start=t', 'value=v'], { resource: 'steps' })
  expect(read.error?.message).toMatch(/entry 1 can only have the day first, entry 2 only the month/)
})

test('skips rows that cannot be read, reports their lines, and keeps the rest', async () => {
  const content = [
    'Time,Value',
    '2025-03-01T08:00,1',
    ',2',
    'noon,3',
    '2025-03-01T08:00,',
    '2025-03-01T08:00,4,5',
    '2025-03-01T08:00,"4"4',
    '2031-03-01T08:00,5',
    '1969-03-01T08:00,6',
    '2025-03-02T08:00',
  ].join('\n')
  const read = await csv(content, PLAIN, { resource: 'steps' })
  expect(read.records).toBe(9)
  expect(read.samples).toHaveLength(1)
  expect(read.skipped).toEqual({
    'a row has no start': { count: 1, places: ['line 3'] },
    'a row has a start that cannot be read as a time': { count: 1, places: ['line 4'] },
    'a row has no value': { count: 2, places: ['line 5', 'line 10'] },
    'a row has more cells than the header': { count: 1, places: ['line 6'] },
    'a row has misplaced quotes': { count: 1, places: ['line 7'] },
    'a row starts more than a day in the future': { count: 1, places: ['line 8'] },
    'a row starts before 1970': { count: 1, places: ['line 9'] },
  })
})

test('skips a row that ends before it starts', async () => {
  const content = 'a,b,c\n2025-03-01T08:00,2025-03-01T07:00,5\n'
  const read = await csv(content, ['start=a', 'end=b', 'value=c'], { resource: 'steps' })
  expect(reasons(read)).toEqual({ 'a row ends before it starts': 1 })
})

test('is refused without a mapping, with a shortened list of the columns and with the flags', async () => {
  const long = 'x'.repeat(100)
  const read = await readContent(mappedCsv, `When,How many,${long}\n2025-03-01,4711,5\n`)
  expect(read.error).toMatchObject({ code: 'invalid_request', exitCode: 2 })
  expect(read.error?.message).toContain(`"When", "How many", "${'x'.repeat(40)}…"`)
  expect(read.error?.message).not.toContain('4711')
  expect(read.error?.suggestions.join()).toMatch(/--map start=COLUMN --map value=COLUMN --resource steps/)
})

test('does not quote a first line that contains data', async () => {
  const read = await readContent(mappedCsv, '2025-03-01,4711\n2025-03-02,4712\n')
  expect(read.error?.message).toMatch(/first lines look like data/)
  expect(read.error?.message).not.toMatch(/4711|2025/)
})

test('refuses a column that is missing or occurs twice', async () => {
  const missing = await csv('Timestamp,Value\n', PLAIN, { resource: 'steps' })
  expect(missing.error?.message).toMatch(/start=Time: the file has no column of that name. Did you mean "Timestamp"\?/)
  const twice = await csv('Time,Value,value\nx,1,2\n', ['start=Time', 'value=VALUE'], { resource: 'steps' })
  expect(twice.error?.message).toMatch(/value=VALUE: the file has 2 columns/)
})

test('reads the fields of JSON lines, including nested ones', async () => {
  const content = [
    '{"at":"2025-03-01T08:00:00Z","reading":{"value":0.1,"unit":"km"},"tags":["a"]}',
    '{"at":1740816000,"reading":{"value":"250","unit":"m"}}',
    '{"at":"2025-03-01T08:00:00Z","reading":{"value":true}}',
    'not json',
    '[1]',
    '{"at":"2025-03-01T08:00:00Z"}',
  ].join('\n')
  const read = await ndjson(content, ['start=at', 'value=reading.value', 'unit=reading.unit'], { resource: 'distance' })
  expect(read.records).toBe(6)
  expect(read.samples.map(each => each.value)).toEqual([100, 250])
  expect(read.skipped).toEqual({
    'a row has a value that is neither text nor a number': { count: 1, places: ['line 3'] },
    'a line is not a JSON object': { count: 2, places: ['line 4', 'line 5'] },
    'a row has no value': { count: 1, places: ['line 6'] },
  })
})

test('also reads a list of objects, and keeps every digit of a number', async () => {
  const read = await ndjson(
    '[{"t":"2025-03-01T08:00:00Z","v":0.30000000000000004},\n{"t":"x"}]',
    ['start=t', 'value=v'],
    {
      resource: 'body_weight',
    },
  )
  expect(read.samples.map(each => each.value)).toEqual([0.30000000000000004])
  expect(read.skipped).toEqual({
    'a row has a start that cannot be read as a time': { count: 1, places: ['entry 2'] },
  })
})

test('refuses JSON without a mapping, and lists the flags', async () => {
  const read = await readContent(mappedNdjson, '{"a":1}\n{"a":2}\n')
  expect(read.error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/fields must be mapped/) })
})

test.each([
  ['.xlsx', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(26), Buffer.from('[Content_Types].xml')])],
  [
    '.ods',
    Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(26), Buffer.from('mimetypeapplication/vnd.oasis')]),
  ],
  ['.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])],
])('refuses an %s file, and recommends CSV', (_name, head) => {
  for (const forced of [undefined, 'csv']) expect(() => importerFor(head, forced)).toThrow(/is a spreadsheet.* CSV/)
})

test('treats an unknown file as a table or JSON, or as unrecognized if it is neither', () => {
  expect(importerFor(Buffer.from('a,b\n1,2')).format).toBe('csv')
  expect(importerFor(Buffer.from('{"a":1}\n{"a":2}')).format).toBe('ndjson')
  expect(() => importerFor(Buffer.from([0, 1, 2, 0x2c, 255]))).toThrow(/no format/)
  expect(() => importerFor(Buffer.from('<html>, </html>'))).toThrow(/no format/)
  expect(() => importerFor(Buffer.from('just words'))).toThrow(/no format/)
})

test('yields the rows before the damage of a table', async () => {
  const bytes = Buffer.concat([
    Buffer.from('Time,Value\n2025-03-01,1\n2025-03-02,'),
    Buffer.from([0xff]),
    Buffer.from('\n'),
  ])
  const read = await readContent(mappedCsv, bytes, { mapping: parseMapping(PLAIN, { resource: 'steps' }) })
  expect(read).toMatchObject({ records: 1, error: { code: 'invalid_file' } })
  expect(read.error?.message).toMatch(/line 3 holds bytes that are not UTF-8/)
  expect(read.samples).toHaveLength(1)
})
