/**
 * Divides a source's samples into series by what they come from: app, device and kind. See docs/interface/timeseries.md#timeseries-4. Indexed
 * reads are unchecked (`as number`), because the loops are hot.
 */
import { allKinds, kindsOf, markedKinds } from '../../../catalogue/kinds.ts'
import { getOrInsert } from '../../../core/maps.ts'
import type { SampleBatch, SampleColumns } from '../../../core/sample.ts'
import { pickRows } from '../../chunk/columns.ts'

/** The part of a series' key that its samples' own fields show. Empty texts if they show nothing. */
export interface Origin {
  readonly appId: string
  readonly deviceId: string
  /** Name of a kind in the catalogue that a sample's own fields show, whatever its provider supplies. */
  readonly kind: string
}

export interface OriginBatch extends SampleBatch {
  readonly origin: Origin
}

const NO_ORIGIN: Origin = { appId: '', deviceId: '', kind: '' }

/** Returns a text that differs for any two origins. Origins without an app come first in its order, then those without a device. */
export function originName({ appId, deviceId, kind }: Origin): string {
  return JSON.stringify([appId, deviceId, kind])
}

/** The origins of some rows. */
interface RowOrigins {
  /** By number. Some may have no row. */
  readonly at: (number: number) => Origin
  /** The number of each row's origin, or the only number. */
  readonly numbers: Float64Array | number
}

/** Returns the batch as one batch for each origin, in the order of their first rows. */
export function splitByOrigin(batch: SampleBatch): OriginBatch[] {
  const { at, numbers } = rowOrigins(batch.series.resource, batch)
  if (typeof numbers === 'number') return [withOrigin(batch, at(numbers))]
  const rowsOf = new Map<string, number[]>()
  for (let row = 0; row < batch.n; row++)
    getOrInsert(rowsOf, originName(at(numbers[row] as number)), () => []).push(row)
  return [...rowsOf.values()].map(rows => ({
    ...pickRows(batch, Uint32Array.from(rows)),
    series: batch.series,
    origin: at(numbers[rows[0] as number] as number),
  }))
}

/** Field by field, because a write with a copy made by spreading took 1.15 times as long. */
function withOrigin({ series, n, start, end, value, second, offset, text }: SampleBatch, origin: Origin): OriginBatch {
  return { series, n, start, end, value, second, offset, text, origin }
}

/** Returns the origins of a batch, without duplicates. */
export function originsOf(batch: SampleBatch): Origin[] {
  const { at, numbers } = rowOrigins(batch.series.resource, batch)
  return (typeof numbers === 'number' ? [numbers] : [...new Set(numbers)]).map(at)
}

/** Returns a function that tells whether a row has this origin. */
export function hasOrigin(resource: string, columns: SampleColumns, origin: Origin): (row: number) => boolean {
  const { at, numbers } = rowOrigins(resource, columns)
  const name = originName(origin)
  if (typeof numbers === 'number') {
    const isIts = originName(at(numbers)) === name
    return () => isIts
  }
  return row => originName(at(numbers[row] as number)) === name
}

function rowOrigins(resource: string, columns: SampleColumns): RowOrigins {
  const { n, text } = columns
  const [app, device] = [text.get('app_id'), text.get('device_id')]
  const kinds = kindsOf(resource)
  const marked = kinds ? markedKinds(kinds, columns) : null
  if (!app && !device && !marked) return { at: () => NO_ORIGIN, numbers: 0 }
  const names = kinds && marked ? allKinds(kinds).map(({ name }) => name) : ['']
  const devices = (device?.values.length ?? 0) + 1
  const at = (number: number): Origin => {
    const kind = number % names.length
    const source = Math.floor(number / names.length)
    return {
      appId: asKey(app?.values[Math.floor(source / devices) - 1]),
      // a UUID is the same in any case
      deviceId: asKey(device?.values[(source % devices) - 1]).toLowerCase(),
      kind: kind === 0 ? '' : (names[kind] as string),
    }
  }
  const numbers = new Float64Array(n)
  let isOne = true
  for (let row = 0; row < n; row++) {
    const source = (app ? (app.codes[row] as number) : 0) * devices + (device ? (device.codes[row] as number) : 0)
    const number = source * names.length + (marked ? (marked[row] as number) : 0)
    numbers[row] = number
    isOne &&= number === numbers[0]
  }
  return { at, numbers: isOne ? (numbers[0] ?? 0) : numbers }
}

/** Returns the text as SQLite's bindings store it whole: they cut a text at a NUL. */
function asKey(text: string | undefined): string {
  return text?.replaceAll('\0', '\u2400') ?? ''
}
