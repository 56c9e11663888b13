/** Describes speed and remaining time for a progress bar. */
import { formatCount } from '../core/text.ts'

/** Minimum time before a rate is meaningful. */
const LEAST_MS = 500

interface Extent {
  readonly doneBytes: number
  /** Total number of bytes; 0 if unknown. */
  readonly totalBytes: number
  /** Number of records; 0 if records are not counted. */
  readonly records: number
}

/** Measures from the first call to `format`. `now` returns milliseconds. */
export class Throughput {
  private since: number | undefined
  private first: Extent = { doneBytes: 0, totalBytes: 0, records: 0 }
  private readonly now: () => number

  constructor(now: () => number = Date.now) {
    this.now = now
  }

  /** Returns `1,234,567 records · 310,000 records/s · 45 MB/s · 12 s left`; if the total is unknown, shows the bytes so far. */
  format(extent: Extent): string {
    if (this.since === undefined) {
      this.since = this.now()
      this.first = extent
    }
    const parts = extent.records > 0 ? [`${plain(extent.records)} record${extent.records === 1 ? '' : 's'}`] : []
    if (extent.totalBytes === 0 && extent.doneBytes > 0) parts.push(sizeText(extent.doneBytes))
    const seconds = (this.now() - this.since) / 1000
    if (seconds * 1000 < LEAST_MS) return parts.join(' · ')
    const recordsPerSecond = (extent.records - this.first.records) / seconds
    const bytesPerSecond = (extent.doneBytes - this.first.doneBytes) / seconds
    if (recordsPerSecond >= 1) parts.push(`${plain(roughly(recordsPerSecond))} records/s`)
    if (bytesPerSecond >= 1) parts.push(`${sizeText(bytesPerSecond)}/s`)
    const left = extent.totalBytes - extent.doneBytes
    if (left > 0 && bytesPerSecond >= 1) parts.push(`${durationText(left / bytesPerSecond)} left`)
    return parts.join(' · ')
  }
}

/** Returns `45 MB` or `1.2 GB`. */
export function sizeText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`
  if (bytes >= 1e6) return `${Math.round(bytes / 1e6)} MB`
  return bytes >= 1e3 ? `${Math.round(bytes / 1e3)} kB` : `${Math.round(bytes)} B`
}

/** Returns `12 s`, `3 min 20 s` or `1 h 5 min`. */
export function durationText(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

/** Rounds to three significant digits. */
function roughly(value: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 2)
  return Math.round(value / step) * step
}

function plain(value: number): string {
  return formatCount(Math.round(value))
}
