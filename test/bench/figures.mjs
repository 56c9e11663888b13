/** Medians, and a table of figures with what each should reach. */

/** The middle of the values (of an even number, the lower of the two). */
export function median(values) {
  return percentile(values, 0.5)
}

/** The value that a share of the values does not exceed. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))]
}

/** Collects lines `what | figure | reach | ok` and prints them as they come, so that a run that is cut off has said something. */
export class Figures {
  lines = []

  /** `isReached` is undefined for a figure that stands for comparison only. */
  add(what, figure, reach = '', isReached = undefined) {
    const verdict = isReached === undefined ? '' : isReached ? 'ok' : 'MISSED'
    this.lines.push([what, figure, reach, verdict])
    console.log(`${what.padEnd(74)} ${figure.padStart(18)}   ${reach.padEnd(12)} ${verdict}`)
  }

  get missed() {
    return this.lines.filter(line => line[3] === 'MISSED').length
  }
}
