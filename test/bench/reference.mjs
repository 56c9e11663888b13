/** Estimates how much slower this machine currently is than the reference machine of the targets, from the start-up time of Node. */
import { spawnSync } from 'node:child_process'
import { median } from './figures.mjs'

/** Milliseconds of `node -e 0` on the reference machine. */
const REFERENCE_MS = 22.5
const RUNS = 15

/** Returns the factor by which this machine is slower; at least 1. */
export function slowness() {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const times = Array.from({ length: RUNS }, () => {
    const began = performance.now()
    spawnSync(process.execPath, ['-e', '0'], { env })
    return performance.now() - began
  })
  return Math.max(1, median(times) / REFERENCE_MS)
}

/** Adds a time with its target, as measured and, if this machine is slower, converted to the speed of the reference machine. */
export function addTime(figures, what, ms, mostMs, factor) {
  const words = value => (value < 100 ? `${value.toFixed(1)} ms` : `${value.toFixed(0)} ms`)
  figures.add(what, words(ms), `≤ ${mostMs} ms`, ms <= mostMs)
  if (ms <= mostMs || factor <= 1) return
  const scaled = ms / factor
  figures.add(
    `  at the speed of the reference machine, this one being ${factor.toFixed(1)} times as slow`,
    words(scaled),
    `≤ ${mostMs} ms`,
    scaled <= mostMs,
  )
}

/**
 * Adds the median of times that were each measured beside a factor, `{ ms, factor }`, because the load of the machine changes from one
 * minute to the next.
 */
export function addTimes(figures, what, times, mostMs) {
  const ms = median(times.map(each => each.ms))
  addTime(figures, what, ms, mostMs, ms / median(times.map(each => each.ms / each.factor)))
}
