/**
 * Counts how often each of the 256 codes occurs in packed bytes. Counting is faster than adding up values, and the functions can compute
 * everything they need from the counts. Indexed reads are unchecked (`as number`) because the loops are hot and the indices are always in
 * range.
 */

/** With fewer rows than this, building 256 counts takes more time than it saves. */
export const HISTOGRAM_FROM = 384

interface Counted {
  codes: Uint8Array | null
  from: number
  to: number
  readonly bins: Uint32Array
}

/** Cache of the most recent counts, because the same range is counted for the where clause and again for each function. */
const recent: Counted[] = Array.from({ length: 4 }, () => ({ codes: null, from: 0, to: 0, bins: new Uint32Array(256) }))
// global, because it is only a cache: the code between two counts runs synchronously, and nothing depends on the cached counts
let oldest = 0
/** Four counters per code, used in rotation, so that equal neighbours do not wait for each other's increments. */
const quarters = new Uint32Array(1024)

/** Returns how often each code occurs in rows [from, to). The counts stay valid until a few other ranges have been counted. */
export function countCodes(codes: Uint8Array, from: number, to: number): Uint32Array {
  for (const each of recent) if (each.codes === codes && each.from === from && each.to === to) return each.bins
  const bins = quarters
  bins.fill(0)
  let i = from
  for (; i + 3 < to; i += 4) {
    ;(bins[codes[i] as number] as number)++
    ;(bins[256 + (codes[i + 1] as number)] as number)++
    ;(bins[512 + (codes[i + 2] as number)] as number)++
    ;(bins[768 + (codes[i + 3] as number)] as number)++
  }
  for (; i < to; i++) (bins[codes[i] as number] as number)++
  const counted = recent[oldest] as Counted
  oldest = (oldest + 1) % recent.length
  counted.codes = codes
  counted.from = from
  counted.to = to
  for (let code = 0; code < 256; code++) {
    counted.bins[code] =
      (bins[code] as number) +
      (bins[256 + code] as number) +
      (bins[512 + code] as number) +
      (bins[768 + code] as number)
  }
  return counted.bins
}
