/** A chart as one self-contained SVG document, without scripts, links or embedded fonts, for light and dark pages. */
import type { ChartPoints } from '../core/chart-rules.ts'
import { present } from '../core/present.ts'
import { type Chart, type ChartSeries, chartRange, chartTitle, describeSeries, formatPeriod } from './chart.ts'
import { columnAt, type TimeColumns, traceBars, traceLine } from './chart-columns.ts'
import { timeTicks, type ValueScale, valueScale } from './chart-scale.ts'

const WIDTH = 960
const LEFT = 72
const RIGHT = 40
const PLOT_WIDTH = WIDTH - LEFT - RIGHT
const PLOT_HEIGHT = 320
/** Top of the legend, below the title and the time range. */
const LEGEND_TOP = 82
const LEGEND_LINE = 22
const AXIS_ROOM = 52
/** Approximate number of steps on the value axis. */
const VALUE_STEPS = 6
const TIME_TICKS = 9

/** Colors that color-blind people can distinguish, each with a variant for light and one for dark pages. */
const COLORS = [
  ['#0072b2', '#56b4e9'],
  ['#d55e00', '#ff9d5c'],
  ['#00795a', '#2fd6a8'],
  ['#a8467f', '#e79ac6'],
  ['#8a6d00', '#f0e442'],
  ['#5b4fc7', '#a9a1ff'],
] as const

/** Returns the document, which ends with a newline. Equal charts produce equal text. */
export function svgChart(chart: Chart): string {
  const top = LEGEND_TOP + chart.series.length * LEGEND_LINE
  const height = top + PLOT_HEIGHT + AXIS_ROOM
  const isEmpty = chart.series.length === 0
  const range = chartRange(chart)
  const period = isEmpty ? 'No samples to show.' : formatPeriod(range, chart.isFloating)
  const described = chart.series.map(series => `${series.name}: ${describeSeries(series, chart.points)}.`)
  const parts = [
    `<svg class="svc-chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" ` +
      `role="img" aria-labelledby="svc-title svc-desc" font-family="system-ui, sans-serif" font-size="13" fill="#1f2328">`,
    `<title id="svc-title">${escaped(chartTitle(chart))}</title>`,
    `<desc id="svc-desc">${escaped([`${period}`, ...described].join(' '))}</desc>`,
    `<style>${darkStyle(chart.series.length)}</style>`,
    `<rect class="svc-page" width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="24" y="34" font-size="18" font-weight="600">${escaped(chartTitle(chart))}</text>`,
    `<text class="svc-soft" x="24" y="56" fill="#59636e">${escaped(period)}</text>`,
    ...chart.series.map((series, i) => legend(series, i, chart.points)),
    ...(isEmpty ? [] : plot(chart, top)),
    '</svg>',
  ]
  return `${parts.join('\n')}\n`
}

function darkStyle(count: number): string {
  const strokes = COLORS.slice(0, count).map(
    ([, dark], i) => `.svc-line${i}{stroke:${dark}}.svc-area${i}{fill:${dark}}`,
  )
  const page = '.svc-chart{fill:#e6edf3}.svc-page{fill:#0d1117}.svc-soft{fill:#9198a1}.svc-grid{stroke:#30363d}'
  return `@media (prefers-color-scheme: dark){${page}${strokes.join('')}}`
}

/** Draws a legend entry: a swatch in the source's color, the source's name and the description of its samples. */
function legend(series: ChartSeries, index: number, points: ChartPoints): string {
  const y = LEGEND_TOP + index * LEGEND_LINE
  const [color] = seriesColor(index)
  const swatch = `<rect class="svc-area${index % COLORS.length}" x="24" y="${y - 10}" width="14" height="10" fill="${color}"/>`
  const numbers = `<tspan class="svc-soft" fill="#59636e">${escaped(describeSeries(series, points))}</tspan>`
  return `${swatch}<text x="46" y="${y}">${escaped(series.name)}: ${numbers}</text>`
}

function plot(chart: Chart, top: number): string[] {
  const range = chartRange(chart)
  const scale = valueScale(range.min, range.max, VALUE_STEPS)
  const columns: TimeColumns = { from: range.from, to: range.to, count: PLOT_WIDTH }
  const bottom = top + PLOT_HEIGHT
  const yOf = (value: number) => top + yPosition(scale, value)
  const values = scale.ticks.flatMap(({ at, label }) => [
    `<path class="svc-grid" d="M${LEFT} ${short(yOf(at))}h${PLOT_WIDTH}" stroke="#d1d9e0"/>`,
    `<text class="svc-soft" x="${LEFT - 8}" y="${short(yOf(at) + 4)}" text-anchor="end" fill="#59636e">${escaped(label)}</text>`,
  ])
  const times = timeTicks(range.from, range.to, TIME_TICKS).flatMap(({ at, label, context }) => {
    const x = LEFT + columnAt(columns, at)
    const text = (y: number, what: string) =>
      `<text class="svc-soft" x="${x}" y="${y}" text-anchor="middle" fill="#59636e">${escaped(what)}</text>`
    const mark = `<path class="svc-grid" d="M${x} ${bottom}v5" stroke="#d1d9e0"/>`
    return [mark, text(bottom + 20, label), ...(context === null || context === '' ? [] : [text(bottom + 38, context)])]
  })
  const drawn = chart.series.map((series, i) => {
    const [color] = seriesColor(i)
    const name = `<title>${escaped(series.name)}</title>`
    const index = i % COLORS.length
    return chart.mark === 'bars'
      ? `<path class="svc-area${index}" fill="${color}" fill-opacity="0.75" d="${barPath(series, columns, yOf)}">${name}</path>`
      : `<path class="svc-line${index}" fill="none" stroke="${color}" stroke-width="1.5" stroke-linecap="round" ` +
          `stroke-linejoin="round" d="${linePath(traceLine(series, chart.points, columns), yOf)}">${name}</path>`
  })
  return [...values, ...times, ...drawn]
}

type ToY = (value: number) => number

/** Returns the path of the line, with a new subpath after each gap; a single sample is a dot. */
function linePath(line: ReturnType<typeof traceLine>, yOf: ToY): string {
  return line
    .map(piece => {
      const points = piece.flatMap(({ column, first, min, max, last }) => {
        const values = min === max ? [first] : [first, min, max, last]
        return values.map(value => `${LEFT + column} ${short(yOf(value))}`)
      })
      return `M${points.join('L')}${points.length === 1 ? 'h0' : ''}`
    })
    .join('')
}

/** Returns the path of the bars, in which adjacent columns of the same height are one bar. */
function barPath(series: ChartSeries, columns: TimeColumns, yOf: ToY): string {
  const { high, low } = traceBars(series, columns)
  const zero = short(yOf(0))
  const paths: string[] = []
  for (const side of [high, low]) {
    for (let from = 0, to = 0; from < side.length; from = to) {
      const value = present(side[from], 'a column')
      for (to = from + 1; to < side.length && Object.is(side[to], value); ) to++
      if (Number.isNaN(value)) continue
      // an amount of zero is also drawn, so that it differs from a gap
      const y = value === 0 ? short(yOf(0) - 0.5) : short(yOf(value))
      paths.push(`M${LEFT + from} ${zero}V${y}h${to - from}V${zero}z`)
    }
  }
  return paths.join('')
}

function yPosition({ from, to }: ValueScale, value: number): number {
  const share = (to - value) / (to - from)
  return (Number.isFinite(share) ? share : 0) * PLOT_HEIGHT
}

function seriesColor(index: number): (typeof COLORS)[number] {
  return COLORS[index % COLORS.length] as (typeof COLORS)[number]
}

function short(value: number): string {
  return String(Number(value.toFixed(1)))
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for XML and drops the characters that XML does not allow. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"]/g, char => ENTITIES[char] ?? char)
    .replace(/[^\t\n\r\u0020-\u{10ffff}]|[\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
}
