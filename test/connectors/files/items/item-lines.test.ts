/** The line format: data that is printed and read again is identical to the last bit, and errors are reported without the value. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RESOURCES, type TimeseriesResource } from '../../../../src/catalogue/resources.ts'
import type { ItemReading, ParsedItem } from '../../../../src/connectors/files/items/item.ts'
import { sampleLines, streamLine, summaryLine } from '../../../../src/connectors/files/items/lines.ts'
import { parseItem } from '../../../../src/connectors/files/items/parser.ts'
import {
  SampleBatchBuilder,
  type SampleInput,
  SUMMARY_KINDS,
  type SummaryRecord,
  TEXT_COLUMNS,
} from '../../../../src/core/sample.ts'
import { STREAM_COLUMNS, type StreamColumn, type StreamRecord } from '../../../../src/core/stream.ts'
import { formatDate } from '../../../../src/core/time.ts'
import { times } from '../../../kit/effort.ts'
import { seed } from '../../../kit/seed.ts'

const READING: ItemReading = {
  provider: 'manual',
  sourceType: 'unknown',
  timeZone: null,
  idOf: id => id,
  newId: (...path) => `new ${path.join(' ')}`,
}
const parse = (value: unknown, reading: Partial<ItemReading> = {}): ParsedItem =>
  parseItem(value, { ...READING, ...reading })
const parseLine = (line: string): ParsedItem => parse(JSON.parse(line))

const finite = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 61, 0.1, 5e-324, Number.MAX_VALUE, 36.600000000000001),
)
const word = fc.string({ unit: 'binary', maxLength: 12 })
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/)
const time = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) })
const offset = fc.option(fc.integer({ min: -43_200, max: 50_400 }))

type SampleTexts = NonNullable<SampleInput['text']>

/** Returns a sample of the resource in the form that the store keeps. */
function arbitrarySample(resource: TimeseriesResource): fc.Arbitrary<SampleInput> {
  const texts = Object.fromEntries(
    TEXT_COLUMNS.filter(each => each !== 'content' && !(each === 'type' && resource.discriminator)).map(column => [
      column,
      column === 'tags' ? fc.array(word, { maxLength: 3 }).map(tags => JSON.stringify(tags)) : word,
    ]),
  )
  const content = resource.shape === 'text' ? { content: word } : {}
  return fc
    .record({
      start: time,
      length: fc.integer({ min: 0, max: 86_400_000 }),
      value: resource.shape === 'text' ? fc.constant(0) : finite,
      second: finite,
      offset,
      text: fc.record(
        { ...texts, ...content },
        { requiredKeys: [], noNullPrototype: true },
      ) as fc.Arbitrary<SampleTexts>,
    })
    .map(({ start, length, second, ...rest }) => ({
      ...rest,
      start,
      end: start + length,
      ...(resource.shape === 'blood_pressure' ? { second } : {}),
    }))
}

describe('samples as lines', () => {
  it.each(RESOURCES.map(each => [each.name, each] as const))('are read back bit by bit: %s', (_, resource) => {
    const samples = fc.array(arbitrarySample(resource), { minLength: 1, maxLength: 20 })
    const type = resource.discriminator ? fc.option(word) : fc.constant(null)
    fc.assert(
      fc.property(samples, type, name, name, (given, type, provider, sourceType) => {
        const series = { resource: resource.name, type, provider, sourceType }
        const builder = new SampleBatchBuilder(series)
        for (const sample of given) builder.push(sample)
        const lines = [...sampleLines(series, builder.take())].join('').trimEnd().split('\n')
        expect(lines).toHaveLength(given.length)
        for (const [i, line] of lines.entries()) {
          // toStrictEqual distinguishes 0 from -0
          expect(parseLine(line)).toStrictEqual({ kind: 'sample', series, sample: given[i], truncated: false })
        }
      }),
      { numRuns: times(5), seed },
    )
  })

  it('have the form in which the service prints samples, with times as instants', () => {
    const series = { resource: 'heartrate', type: null, provider: 'manual', sourceType: 'watch' }
    const builder = new SampleBatchBuilder(series)
    builder.push({ start: Date.UTC(2026, 10, 20, 8, 30), value: 61, offset: 3600 })
    expect([...sampleLines(series, builder.take())].join('')).toBe(
      '{"resource":"heartrate","provider":"manual","source_type":"watch","timestamp":"2026-11-20T08:30:00Z",' +
        '"timezone_offset":3600,"value":61,"unit":"bpm"}\n',
    )
  })
})

describe('summaries and streams as lines', () => {
  it('are read back bit by bit: summaries', () => {
    const summary: fc.Arbitrary<SummaryRecord> = fc.record(
      {
        kind: fc.constantFrom(...SUMMARY_KINDS),
        id: fc.uuid(),
        provider: name,
        sourceType: name,
        appId: fc.option(word),
        deviceId: fc.option(word),
        at: time,
        date: time.map(formatDate),
        offset,
        document: fc
          .dictionary(word, fc.jsonValue(), { noNullPrototype: true })
          .map(each => JSON.parse(JSON.stringify(each))),
      },
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(summary, given => {
        expect(parseLine(summaryLine(given))).toStrictEqual({ kind: 'summary', summary: given })
      }),
      { numRuns: times(40), seed },
    )
  })

  it('are read back bit by bit: streams', () => {
    const points = fc.array(fc.tuple(time, fc.array(fc.option(finite), { minLength: 10, maxLength: 10 })), {
      minLength: 1,
      maxLength: 30,
    })
    const about = fc.record({
      workoutId: fc.uuid(),
      provider: name,
      sourceType: name,
      at: time,
      offset,
      providerId: fc.string({ minLength: 1 }),
      sport: fc.option(fc.record({ id: fc.integer(), name: word, slug: word }, { noNullPrototype: true })),
    })
    fc.assert(
      fc.property(about, points, (head, rows) => {
        const sorted = rows.toSorted((a, b) => a[0] - b[0])
        const columns = new Map<StreamColumn, Float64Array>()
        for (const [i, column] of STREAM_COLUMNS.entries()) {
          const values = Float64Array.from(sorted, row => row[1][i] ?? Number.NaN)
          if (values.some(value => !Number.isNaN(value))) columns.set(column, values)
        }
        const stream: StreamRecord = {
          ...head,
          n: rows.length,
          time: Float64Array.from(sorted, row => row[0]),
          columns,
        }
        expect(parseLine(streamLine(stream))).toStrictEqual({ kind: 'stream', stream })
      }),
      { numRuns: times(40), seed },
    )
  })
})

describe('a line from an application', () => {
  const HEART = { resource: 'heartrate', timestamp: '2026-11-20T08:30:00Z', value: 61 }
  const sampleOfLine = (more: object, reading: Partial<ItemReading> = {}) => {
    const item = parse({ ...HEART, ...more }, reading)
    if (item.kind !== 'sample') throw new Error(JSON.stringify(item))
    return item
  }
  const START = Date.UTC(2026, 10, 20, 8, 30)

  it('may omit provider, source type, unit and end', () => {
    expect(sampleOfLine({})).toStrictEqual({
      kind: 'sample',
      series: { resource: 'heartrate', type: null, provider: 'manual', sourceType: 'unknown' },
      sample: { start: START, end: START, offset: null, value: 61, text: {} },
      truncated: false,
    })
  })

  it.each([
    ['Z is an instant whose local time is unknown', { timestamp: '2026-11-20T08:30:00Z' }, START, null],
    ['-00:00 too', { timestamp: '2026-11-20T08:30:00-00:00' }, START, null],
    ['+00:00 is an offset of zero', { timestamp: '2026-11-20T08:30:00+00:00' }, START, 0],
    ['an offset is kept', { timestamp: '2026-11-20T08:30:00+05:30' }, START - 19_800_000, 19_800],
    ['no offset is the time of the zone', { timestamp: '2026-11-20T08:30:00' }, START - 3_600_000, 3600],
    [
      'timezone_offset beside an instant says the local time',
      { timestamp: '2026-11-20T08:30:00+00:00', timezone_offset: 7200 },
      START,
      7200,
    ],
    [
      'null beside it says that it is unknown',
      { timestamp: '2026-11-20T08:30:00+00:00', timezone_offset: null },
      START,
      null,
    ],
    [
      'timezone_offset beside a local time makes it an instant',
      { timestamp: '2026-11-20T08:30:00', timezone_offset: 7200 },
      START - 7_200_000,
      7200,
    ],
  ])('%s', (_, more, start, offset) => {
    expect(sampleOfLine(more, { timeZone: 'Europe/Berlin' }).sample).toMatchObject({ start, offset })
  })

  it('is counted as truncated if its time is finer than a millisecond', () => {
    expect(sampleOfLine({ timestamp: '2026-11-20T08:30:00.0005Z' })).toMatchObject({
      truncated: true,
      sample: { start: START },
    })
  })

  it('may use another known unit, which is converted', () => {
    const glucose = sampleOfLine({ resource: 'glucose', value: 180.156, unit: 'mg/dL' })
    expect(glucose.sample.value).toBe(10)
  })

  it('can refer to one of the user’s workouts by the ID that the user sees', () => {
    expect(sampleOfLine({ workout_id: 'run 7' }, { idOf: id => `own ${id}` }).sample.text).toEqual({
      workout_id: 'own run 7',
    })
  })

  it.each([
    ['no object', [1], [], 'object'],
    ['an unknown resource', { ...HEART, resource: 'heartbeat' }, ['resource'], 'Did you mean "heartrate"'],
    ['no value', { ...HEART, value: undefined }, ['value'], 'required'],
    ['a value that is a text', { ...HEART, value: 'S3CRET' }, ['value'], 'must be a number'],
    [
      'a value beyond all numbers',
      JSON.parse('{"resource":"heartrate","timestamp":"2026-11-20T08:30:00Z","value":1e999}'),
      ['value'],
      'finite',
    ],
    ['no time', { resource: 'heartrate', value: 1 }, ['timestamp'], 'required'],
    ['an invalid time', { ...HEART, timestamp: 'S3CRET' }, ['timestamp'], 'ISO 8601'],
    ['two times', { ...HEART, start: '2026-11-20T08:31:00Z' }, ['timestamp'], 'same instant'],
    ['a unit of something else', { ...HEART, unit: 'S3CRET' }, ['unit'], 'which is measured in bpm'],
    ['a misspelt field', { ...HEART, vaule: 1 }, [], 'Did you mean "value"'],
    ['an offset of no place', { ...HEART, timezone_offset: 90_000 }, ['timezone_offset'], '18 hours'],
    ['half a blood pressure', { ...HEART, resource: 'blood_pressure', systolic: 120 }, ['diastolic'], 'required'],
    ['an unknown kind of summary', { summary: 'sleeps', at: HEART.timestamp, document: {} }, ['summary'], '"sleep"'],
    ['a summary without a document', { summary: 'sleep', at: HEART.timestamp }, ['document'], 'required'],
    ['a summary without a time', { summary: 'sleep', document: {} }, ['at'], 'required'],
    ['a stream whose lists differ', { stream: 'a', time_ms: [1, 2], heartrate: [60] }, ['heartrate'], 'as long as'],
    ['a stream that goes back', { stream: 'a', time_ms: [2, 1] }, ['time_ms', 1], 'before'],
  ])('is refused with %s; the message contains the position, not the value', (_, value, path, words) => {
    const item = parse(value)
    expect(item.kind).toBe('wrong')
    const issues = item.kind === 'wrong' ? item.issues : []
    expect(issues[0]?.path).toEqual(path)
    expect(issues[0]?.msg.toLowerCase()).toContain(words.toLowerCase())
    expect(JSON.stringify(issues)).not.toContain('S3CRET')
  })
})
