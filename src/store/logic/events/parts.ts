/** Splits a batch of samples into parts that each fit into one event. See docs/interface/limits.md#limits-7. */
import { resourceNamed } from '../../../catalogue/resources.ts'
import type { SampleColumns, TextColumn } from '../../../core/sample.ts'
import { pickRows, sliceColumns } from '../../chunk/columns.ts'

/** Maximum number of samples in an event, and maximum size of its rendered body in bytes. */
export const MOST_EVENT_SAMPLES = 2_500
export const MOST_EVENT_BYTES = 1 << 20
/** Bytes reserved for the parts of a body other than samples: the envelope and the source. */
const ENVELOPE_BYTES = 16_384
/** Maximum length of a rendered sample without its texts: three times with milliseconds, an offset, a unit and two values. */
const SAMPLE_BYTES = 270

/** Columns that determine to which group of a response a sample belongs (readings/sample-groups.ts). */
const CONTEXT: readonly TextColumn[] = ['app_id', 'device_id', 'sport', 'workout_id']

/**
 * Returns parts that are small enough and contain samples from only one source. The parts of a source are in time order, and the sources
 * are in the order of their first sample.
 */
export function eventParts(resource: string, columns: SampleColumns): SampleColumns[] {
  return bySource(columns).flatMap(part => bySize(resource, part))
}

function bySource(columns: SampleColumns): SampleColumns[] {
  const codes = CONTEXT.flatMap(name => columns.text.get(name)?.codes ?? [])
  if (codes.every(each => isConstant(each, columns.n))) return [columns]
  const groups = new Map<string, number[]>()
  for (let row = 0; row < columns.n; row++) {
    const key = codes.map(each => each[row]).join(' ')
    const rows = groups.get(key)
    if (rows) rows.push(row)
    else groups.set(key, [row])
  }
  return [...groups.values()].map(rows => pickRows(columns, Uint32Array.from(rows)))
}

function isConstant(codes: Uint32Array, n: number): boolean {
  const first = codes[0]
  for (let row = 1; row < n; row++) if (codes[row] !== first) return false
  return true
}

function bySize(resource: string, columns: SampleColumns): SampleColumns[] {
  const texts = sizedTexts(resource, columns)
  const longest = texts.reduce((sum, each) => sum + each.nameBytes + Math.max(4, ...each.bytes), SAMPLE_BYTES)
  const budget = MOST_EVENT_BYTES - ENVELOPE_BYTES
  const parts: SampleColumns[] = []
  let from = 0
  if (longest * Math.min(columns.n, MOST_EVENT_SAMPLES) <= budget) {
    for (; columns.n - from > MOST_EVENT_SAMPLES; from += MOST_EVENT_SAMPLES) {
      parts.push(sliceColumns(columns, from, from + MOST_EVENT_SAMPLES))
    }
    parts.push(sliceColumns(columns, from, columns.n))
    return parts
  }
  const bytesOf = (row: number): number =>
    texts.reduce((sum, each) => sum + each.nameBytes + (each.bytes[each.codes[row] ?? 0] ?? 4), SAMPLE_BYTES)
  let bytes = 0
  for (let row = 0; row < columns.n; row++) {
    const more = bytesOf(row)
    if (row > from && (row - from === MOST_EVENT_SAMPLES || bytes + more > budget)) {
      parts.push(sliceColumns(columns, from, row))
      from = row
      bytes = 0
    }
    bytes += more
  }
  parts.push(sliceColumns(columns, from, columns.n))
  return parts
}

interface SizedText {
  readonly nameBytes: number
  readonly codes: Uint32Array
  /** Size of the rendered value in bytes, by code. */
  readonly bytes: readonly number[]
}

/** Returns the text columns that are shown with every sample of the resource. */
function sizedTexts(resource: string, { text }: SampleColumns): SizedText[] {
  const known = resourceNamed(resource)
  const names: TextColumn[] = [...(known?.fields ?? []), ...(known?.shape === 'text' ? (['content'] as const) : [])]
  return names.flatMap(name => {
    const column = text.get(name)
    if (!column) return []
    const bytes = [4, ...column.values.map(value => Buffer.byteLength(JSON.stringify(value)))]
    return [{ nameBytes: name.length + 4, codes: column.codes, bytes }]
  })
}
