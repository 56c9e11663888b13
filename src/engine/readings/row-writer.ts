/**
 * Writes a slice's samples as JSON, each followed by a comma. The part that a row has in common with the previous row is copied, and the
 * times of day are overwritten. Indexed reads are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import type { TimeseriesResource } from '../../catalogue/resources.ts'
import { type DictColumn, NO_OFFSET, type SampleColumns, type SeriesKey, textAt } from '../../core/sample.ts'
import { DAY_MS, formatInstant } from '../../core/time.ts'
import { type JsonBytes, LONGEST_NUMBER, piece, putNumber, putTime } from './json-bytes.ts'

const TIMESTAMP = '{"timestamp":"'
const START = '","start":"'
const END = '","end":"'
/** Offset of the time of day in an instant's text. */
const DATE_LENGTH = 'YYYY-MM-DDT'.length
const FIRST_TIME = TIMESTAMP.length + DATE_LENGTH
const NOTHING = piece('')
const [CLOSE, COMMA] = [0x7d, 0x2c]

/** A sample field other than the value. Each of its texts is encoded only once. */
interface Field {
  readonly name: string
  readonly column: DictColumn | undefined
  readonly written: Map<number, Uint8Array>
}

export class RowWriter {
  private readonly resource: TimeseriesResource
  private readonly series: SeriesKey
  private readonly columns: SampleColumns
  private readonly types: DictColumn | undefined
  private readonly fields: readonly Field[]
  /** A row up to its value, and the fields that must be equal for the next row to differ only in its times of day. */
  private head: Uint8Array = NOTHING
  private day = Number.POSITIVE_INFINITY
  private endDay = Number.POSITIVE_INFINITY
  private showsMs = false
  private endShowsMs = false
  private east = 0
  private type = 0
  private secondTime = 0
  private endTime = 0

  constructor(resource: TimeseriesResource, series: SeriesKey, columns: SampleColumns) {
    this.resource = resource
    this.series = series
    this.columns = columns
    this.types = series.type === null ? columns.text.get('type') : undefined
    this.fields = resource.fields
      .filter(name => name !== 'type')
      .map(name => ({ name, column: columns.text.get(name), written: new Map() }))
  }

  write(row: number, bytes: JsonBytes): void {
    const { value, second, text } = this.columns
    const { shape } = this.resource
    this.putHead(row, bytes)
    if (shape === 'text') bytes.text(JSON.stringify(textAt(text.get('content'), row) ?? ''))
    else bytes.at = putNumber(bytes.room(LONGEST_NUMBER), bytes.at, value[row] as number)
    if (shape === 'blood_pressure') {
      bytes.text(',"diastolic":')
      bytes.number(second ? (second[row] as number) : Number.NaN)
    }
    for (const field of this.fields) bytes.put(encodeField(field, row))
    bytes.byte(CLOSE)
    bytes.byte(COMMA)
  }

  /** Writes the part of a row that precedes the value. */
  private putHead(row: number, bytes: JsonBytes): void {
    const { start, end, offset } = this.columns
    const at = start[row] as number
    const until = end === null ? at : (end[row] as number)
    const east = offset === null ? NO_OFFSET : (offset[row] as number)
    const type = this.types === undefined ? 0 : (this.types.codes[row] as number)
    if (!this.fits(at, until) || east !== this.east || type !== this.type) {
      this.east = east
      this.type = type
      this.renew(row, at, until)
    }
    const { head } = this
    const begin = bytes.at
    const room = bytes.room(head.length)
    room.set(head, begin)
    bytes.at = begin + head.length
    const secondTime = begin + this.secondTime
    const endTime = begin + this.endTime
    putTime(
      room,
      begin + FIRST_TIME,
      secondTime,
      until === at ? endTime : secondTime,
      (at - this.day) | 0,
      this.showsMs,
    )
    if (until !== at) putTime(room, endTime, endTime, endTime, (until - this.endDay) | 0, this.endShowsMs)
  }

  /** Returns whether the current head is for these days, and shows milliseconds if needed. */
  private fits(at: number, until: number): boolean {
    const within = at - this.day
    const endWithin = until - this.endDay
    return (
      within >= 0 &&
      within < DAY_MS &&
      endWithin >= 0 &&
      endWithin < DAY_MS &&
      ((within | 0) % 1000 !== 0) === this.showsMs &&
      ((endWithin | 0) % 1000 !== 0) === this.endShowsMs
    )
  }

  private renew(row: number, at: number, until: number): void {
    const { shape, unit } = this.resource
    this.day = Math.floor(at / DAY_MS) * DAY_MS
    this.endDay = Math.floor(until / DAY_MS) * DAY_MS
    this.showsMs = at % 1000 !== 0
    this.endShowsMs = until % 1000 !== 0
    const from = formatInstant(at)
    const zone = this.east === NO_OFFSET ? 'null' : `${this.east}`
    const type = JSON.stringify(this.series.type ?? textAt(this.types, row))
    const head = `${TIMESTAMP}${from}${START}`
    const middle = `${head}${from}${END}`
    const name = shape === 'blood_pressure' ? 'systolic' : 'value'
    const rest = `","timezone_offset":${zone},"type":${type},"unit":${JSON.stringify(unit)},"${name}":`
    this.secondTime = head.length + DATE_LENGTH
    this.endTime = middle.length + DATE_LENGTH
    this.head = piece(`${middle}${formatInstant(until)}${rest}`)
  }
}

/** Returns the encoder for a field. Its output includes the field's name. */
function encodeField({ name, column, written }: Field, row: number): Uint8Array {
  const code = column ? (column.codes[row] as number) : 0
  let bytes = written.get(code)
  if (bytes === undefined) {
    const word = textAt(column, row)
    // tags are stored as a JSON list
    const shown = name === 'tags' && word !== null ? JSON.parse(word) : word
    bytes = piece(`,${JSON.stringify(name)}:${JSON.stringify(shown)}`)
    written.set(code, bytes)
  }
  return bytes
}
