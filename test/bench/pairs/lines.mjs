/** Reads the lines that a benchmark prints: the measured quantity, the figure, and whether a lower or a higher one is better. */

/** A line that measures the machine, not the project. */
const MACHINE = /^(a loop of|how many times as slow|node -e 0|one bare write)|what the machine adds/
/** `what`, `figure`, `reach`, `verdict`, as `Figures` prints them: columns two or more spaces apart. */
const FIGURE = /^( *)(\S.*?) {2,}([-+]?[\d.,]+(?: ?[^\d\s][^\s]*)?)(?: {3,}(\S.*?))?(?: +(?:ok|MISSED))? *$/
/** A command, its median, and its ratio to `node -e 0`, as `bench:start` prints them. */
const START = /^(svc .*?) {2,}[\d.]+ {2,}([\d.]+)(?: |$)/

/**
 * Returns the comparable lines of a benchmark's output: `{ key, what, value, unit, isLowerBetter }`. The key identifies the line in other
 * runs of the benchmark, whose labels may contain other measured numbers. It leaves out lines about the machine, lines with several
 * figures, zeros, and lines that do not say which direction is better.
 */
export function benchLines(output) {
  const lines = []
  const seen = new Map()
  let topic = ''
  for (const text of output.split('\n')) {
    const read = readLine(text)
    if (!read) continue
    if (!read.isDetail) topic = read.what
    const label = read.isDetail ? `${topic}: ${read.what}` : read.what
    const name = label.replace(/\([^)]*\d[^)]*\)/g, '').replace(/\d[\d.,]*/g, '#')
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    if (read.isLowerBetter === undefined || !(read.value > 0) || MACHINE.test(read.what)) continue
    lines.push({ ...read, key: `${name} ${count}`, what: label })
  }
  return lines
}

function readLine(text) {
  const start = START.exec(text)
  if (start) {
    const [, what, ratio] = start
    return { what, isDetail: false, value: Number(ratio), unit: '× node -e 0', isLowerBetter: true }
  }
  const figure = FIGURE.exec(text)
  if (!figure) return null
  const [, indent, what, measured, reach = ''] = figure
  const [, digits, unit] = /^([-+]?[\d.,]*\d) ?(.*)$/.exec(measured) ?? []
  if (digits === undefined) return null
  const value = Number(digits.replace(/,(?=\d{3})/g, ''))
  return { what, isDetail: indent !== '', value, unit, isLowerBetter: isLowerBetter(what, unit, reach) }
}

/** Returns undefined for a line that does not say which direction is better. */
function isLowerBetter(what, unit, reach) {
  if (/^(<=|≤)/.test(reach)) return true
  if (/^(>=|≥)/.test(reach) || /\/s$/.test(unit) || /a second/.test(what)) return false
  if (/^(ns|µs|ms|s|kB|MB|GB|MiB)$/.test(unit) || /bytes a sample/.test(what)) return true
  return undefined
}
