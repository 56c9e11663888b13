/** Medians, and a table of figures with their targets. */

/** Returns the median of the values (the lower of the two middle ones for an even number). */
export function median(values) {
  return percentile(values, 0.5)
}

/** Returns the value that the given share of the values does not exceed. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))]
}

/** Collects lines of `what | figure | reach | ok` and prints each at once, so that an interrupted run still shows its results. */
export class Figures {
  lines = []

  /** `isReached` is undefined for a figure that is only for comparison. */
  add(what, figure, reach = '', isReached = undefined) {
    const verdict = isReached === undefined ? '' : isReached ? 'ok' : 'MISSED'
    this.lines.push([what, figure, reach, verdict])
    console.log(`${what.padEnd(74)} ${figure.padStart(18)}   ${reach.padEnd(12)} ${verdict}`)
  }

  get missed() {
    return this.lines.filter(line => line[3] === 'MISSED').length
  }
}
