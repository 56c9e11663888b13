/** Charts: how small known inputs are drawn, in a terminal and as a picture. */
import { SaxesParser } from 'saxes'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { brailleChart } from '../../src/output/braille-chart.ts'
import { type Chart, ChartBuilder } from '../../src/output/chart.ts'
import { traceLine } from '../../src/output/chart-columns.ts'
import { timeTicks, valueScale } from '../../src/output/chart-scale.ts'
import { svgChart } from '../../src/output/svg-chart.ts'

const DAY = Date.UTC(2026, 10, 19)
const HOUR = 3_600_000

type Point = readonly [hour: number, value: number, hours?: number]

function buildChart(
  series: Readonly<Record<string, readonly Point[]>>,
  what: Partial<Omit<Chart, 'series'>> = {},
): Chart {
  const builder = new ChartBuilder()
  for (const [name, points] of Object.entries(series)) {
    for (const [hour, value, hours = 0] of points)
      builder.add(name, DAY + hour * HOUR, DAY + (hour + hours) * HOUR, value)
  }
  return builder.build({ title: 'heartrate', unit: 'bpm', mark: 'line', points: 'samples', ...what })
}

const PLAIN = { width: 40, color: false }
/** Returns the lines of the first panel between the value axis and the right edge. */
const plotLines = (text: string) =>
  text.split('\n').flatMap(line => (/[┤│]/.test(line) ? [line.replace(/^.*[┤│]/, '')] : []))
const hasDots = (text: string) => /[\u2801-\u28ff]/.test(text)

describe('a chart in the terminal', () => {
  test('has a title, a heading for each source, a value axis and a time axis', () => {
    const ramp = buildChart({
      'whoop · watch': [
        [0, 50],
        [1, 60],
        [2, 70],
        [3, 80],
        [4, 90],
      ],
    })
    expect(brailleChart(ramp, PLAIN)).toBe(
      [
        'heartrate in bpm, 2026-11-19 00:00 to 2…',
        '',
        'whoop · watch: 5 samples, 50 to 90',
        '90 ┤                                 ⢀⠔⠊',
        '   │                              ⢀⠤⠊⠁',
        '   │                           ⢀⡠⠊⠁',
        '80 ┤                        ⢀⡠⠒⠁',
        '   │                     ⢀⡠⠒⠁',
        '   │                  ⢀⡠⠒⠁',
        '70 ┤               ⢀⠤⠒⠁',
        '   │            ⣀⠤⠊⠁',
        '60 ┤         ⡠⠔⠊',
        '   │      ⡠⠔⠉',
        '   │   ⡠⠔⠉',
        '50 ┤⡠⠔⠉',
        '   └┬─────────────────┬────────────────┬',
        '   00:00            02:00          04:00',
        '   2026-11-19',
        '',
      ].join('\n'),
    )
  })

  test('leaves a gap where there are no samples', () => {
    const hours = [0, 1, 2, 3, 4, 5, 6, 20, 21, 22, 23, 24]
    const text = brailleChart(buildChart({ a: hours.map(hour => [hour, 60 + (hour % 2)]) }), PLAIN)
    const columns = Array.from({ length: 37 }, (_, x) => plotLines(text).some(line => hasDots(line[x] ?? ' ')))
    expect(columns.slice(0, 8).every(Boolean)).toBe(true)
    expect(columns.slice(10, 28).some(Boolean)).toBe(false)
    expect(columns.slice(30, 34).every(Boolean)).toBe(true)
  })

  test('shows amounts as bars from zero, with nothing in between', () => {
    const bars = buildChart(
      {
        phone: [
          [0, 100, 1],
          [2, 50, 1],
          [5, 100, 1],
        ],
      },
      { mark: 'bars', unit: 'count' },
    )
    const plot = plotLines(brailleChart(bars, { ...PLAIN, width: 29 }))
    expect(plot[0]).toMatch(/^⣿{3,4}\S? {16,18}\S?⣿{3,4}$/)
    expect(plot.at(-1)?.trimEnd().split(/ +/)).toHaveLength(3)
    const middle = plot.findIndex(line => /^\S+ +\S+ +\S+$/.test(line))
    expect(middle).toBeGreaterThan(3)
  })

  test('has a panel for each source, all with the same axes', () => {
    const text = brailleChart(
      buildChart({
        'b · ring': [
          [0, 40],
          [1, 50],
        ],
        'a · app': [
          [12, 100],
          [24, 140],
        ],
      }),
      PLAIN,
    )
    expect(text.match(/^[ab] · .*$/gm)).toEqual(['a · app: 2 samples, 100 to 140', 'b · ring: 2 samples, 40 to 50'])
    expect(text.match(/└/g)).toHaveLength(1)
    expect(plotLines(text)).toHaveLength(16)
  })

  test.each([24, 40, 80, 133])('is at most %i columns wide, and no taller than the terminal', width => {
    const many = { 'whoop · watch · of a long name': Array.from({ length: 500 }, (_, i): Point => [i, 60 + (i % 40)]) }
    const text = brailleChart(buildChart(many), { width, height: 24, color: false })
    for (const line of text.trimEnd().split('\n')) expect(stringWidth(line), line).toBeLessThanOrEqual(width)
    expect(text.split('\n').length).toBeLessThanOrEqual(24)
  })

  test('is colored by source only if colors are enabled', () => {
    const two = buildChart({
      a: [
        [0, 1],
        [1, 2],
      ],
      b: [
        [0, 1],
        [1, 2],
      ],
    })
    expect(brailleChart(two, PLAIN)).not.toContain('\u001b')
    const colored = brailleChart(two, { ...PLAIN, color: true })
    expect(colored).toContain('\u001b[36m')
    expect(colored).toContain('\u001b[35m')
    expect(colored.match(/\[39m/g)?.length).toBe(colored.match(/\[3[0-8]m/g)?.length)
  })

  test('ignores escape sequences in the data', () => {
    expect(brailleChart(buildChart({ 'x\u001b[2J': [[0, 1]] }), PLAIN)).not.toContain('\u001b')
  })

  test('shows a single sample as a dot, and a message if there are none', () => {
    const text = brailleChart(buildChart({ a: [[8, 5]] }), PLAIN)
    expect(plotLines(text).join('').trim()).toHaveLength(1)
    expect(text).toContain('08:00')
    expect(brailleChart(buildChart({}), PLAIN)).toBe('No samples to show.\n')
  })

  test('keeps the extremes of thousands of samples in one column', () => {
    const points = Array.from({ length: 20_000 }, (_, i): Point => [i / 1000, i === 10_000 ? 200 : 60])
    const plot = plotLines(brailleChart(buildChart({ a: points }), PLAIN))
    expect(hasDots(plot.slice(0, 2).join(''))).toBe(true)
  })

  test.each([
    [Number.MAX_VALUE, -Number.MAX_VALUE],
    [1e-300, 2e-300],
    [5e-324, 0],
    [1, 1 + Number.EPSILON],
    [-0, 0],
  ])('can also draw the values %d and %d', (one, other) => {
    for (const mark of ['line', 'bars'] as const) {
      const chart = buildChart(
        {
          a: [
            [0, one],
            [1, other],
          ],
        },
        { mark },
      )
      expect(brailleChart(chart, PLAIN)).toContain('2 samples')
      expect(svgChart(chart)).not.toMatch(/NaN|Infinity/)
    }
  })
})

describe('the value axis', () => {
  test.each([
    [52, 168, 6, ['40', '60', '80', '100', '120', '140', '160', '180']],
    [0, 3356, 6, ['0', '1000', '2000', '3000', '4000']],
    [36.1, 36.9, 4, ['36.0', '36.2', '36.4', '36.6', '36.8', '37.0']],
    [-3, 3, 3, ['-4', '-2', '0', '2', '4']],
    [5, 5, 2, ['4.5', '5.0', '5.5']],
  ])('from %d to %d has round values in about %i steps', (min, max, most, labels) => {
    const scale = valueScale(min, max, most)
    expect(scale.ticks.map(({ label }) => label)).toEqual(labels)
    expect(scale.from).toBeLessThanOrEqual(min)
    expect(scale.to).toBeGreaterThanOrEqual(max)
  })
})

describe('the time axis', () => {
  const shown = (from: number, to: number, most: number) =>
    timeTicks(from, to, most).map(({ label, context }) => (context === null ? label : `${label} ${context}`))

  test('shows times within a day, with the date where it starts', () => {
    expect(shown(DAY + 20 * HOUR, DAY + 27 * HOUR, 5)).toEqual([
      '20:00 2026-11-19',
      '22:00',
      '00:00 2026-11-20',
      '02:00',
    ])
    expect(shown(DAY, DAY + 20_000, 5)).toEqual(['00:00:00 2026-11-19', '00:00:05', '00:00:10', '00:00:15', '00:00:20'])
  })

  test('shows days, weeks from Monday, months and years, with the year where it starts', () => {
    expect(shown(DAY, DAY + 28 * 24 * HOUR, 6)).toEqual(['Nov 23 2026', 'Nov 30', 'Dec 7', 'Dec 14'])
    expect(shown(DAY, DAY + 100 * 24 * HOUR, 5)).toEqual(['Dec 2026', 'Jan 2027', 'Feb'])
    expect(shown(DAY, DAY + 3000 * 24 * HOUR, 6)).toEqual(['2028', '2030', '2032', '2034'])
  })

  test('never has more ticks than requested, and none for a single moment', () => {
    for (let span = 1; span < 1e14; span *= 3) expect(timeTicks(DAY, DAY + span, 7).length).toBeLessThanOrEqual(7)
    expect(timeTicks(DAY, DAY, 7)).toHaveLength(1)
  })
})

test('a line joins samples at their usual distance, and breaks after three times as long', () => {
  const chart = buildChart({
    a: [
      [0, 1],
      [1, 2],
      [2, 3],
      [4.5, 4],
      [8, 5],
      [9, 6],
    ],
  })
  const series = chart.series[0] as Chart['series'][number]
  const pieces = traceLine(series, 'samples', { from: DAY, to: DAY + 9 * HOUR, count: 1000 })
  expect(pieces.map(piece => piece.map(({ last }) => last))).toEqual([
    [1, 2, 3, 4],
    [5, 6],
  ])
})

test.each([
  ['samples of each day', 'samples', [0, 24, 48, 96, 120], [3, 2]],
  ['samples of each day at other hours', 'samples', [7, 30, 55, 79], [4]],
  ['samples of each week', 'samples', [0, 168, 336, 504, 840], [4, 1]],
  ['samples of twice a day', 'samples', [0, 12, 24, 36, 60, 72, 97], [6, 1]],
  ['buckets of an hour', 'buckets', [0, 1, 2, 4, 5], [3, 2]],
  ['buckets of which most are missing', 'buckets', [0, 1, 3, 5, 7], [2, 1, 1, 1]],
] as const)('a line of %s does not cross missing data', (_name, points, hours, pieces) => {
  const { series } = buildChart({ a: hours.map(hour => [hour, hour] as const) })
  const line = traceLine(series[0] as Chart['series'][number], points, {
    from: DAY,
    to: DAY + 1000 * HOUR,
    count: 9000,
  })
  expect(line.map(({ length }) => length)).toEqual(pieces)
})

describe('a chart as a picture', () => {
  interface Element {
    readonly name: string
    readonly attributes: Readonly<Record<string, string>>
  }
  function parsed(svg: string): { readonly elements: readonly Element[]; readonly text: string } {
    const elements: Element[] = []
    let text = ''
    const parser = new SaxesParser()
    parser.on('opentag', tag => elements.push({ name: tag.name, attributes: tag.attributes as Record<string, string> }))
    parser.on('text', part => {
      text += `${part}\n`
    })
    parser.write(svg).close()
    return { elements, text }
  }

  const chart = buildChart({
    'a <b> & "c"': [
      [0, 50],
      [1, 60],
      [2, 55],
      [9, 70],
      [10, 75],
    ],
    'whoop · watch': [[3, 90]],
  })

  test('is well-formed, describes its content, and labels each source', () => {
    const { elements, text } = parsed(svgChart(chart))
    expect(elements[0]?.attributes).toMatchObject({ role: 'img', 'aria-labelledby': 'svc-title svc-desc' })
    expect(text).toContain('heartrate in bpm')
    expect(text).toContain('2026-11-19 00:00 to 2026-11-19 10:00 UTC')
    expect(text).toContain('a <b> & "c": 5 samples, 50 to 75.')
    expect(text).toContain('whoop · watch: 1 sample, 90.')
    for (const label of ['50', '90', '00:00', '10:00', '2026-11-19']) expect(text).toContain(`\n${label}\n`)
  })

  test('is self-contained, without external scripts, links, images or fonts, and has colors for dark pages', () => {
    const svg = svgChart(chart)
    expect([...new Set(parsed(svg).elements.map(({ name }) => name))].sort()).toEqual(
      ['desc', 'path', 'rect', 'style', 'svg', 'text', 'title', 'tspan'].sort(),
    )
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|href|url\(|@import|@font-face/)
    expect(svg).toContain('prefers-color-scheme: dark')
    expect(svgChart(chart)).toBe(svg)
  })

  test('draws a line in pieces between gaps, and amounts as bars', () => {
    const pathsOf = (svg: string, kind: string) =>
      parsed(svg).elements.flatMap(({ name, attributes }) =>
        name === 'path' && attributes['class']?.startsWith(kind) ? [attributes['d'] ?? ''] : [],
      )
    const [line, dot] = pathsOf(svgChart(chart), 'svc-line')
    expect(line?.match(/M/g)).toHaveLength(2)
    expect(dot).toMatch(/^M\d+ [\d.]+h0$/)
    const bars = buildChart(
      {
        phone: [
          [0, 100, 1],
          [2, 0, 1],
          [4, -50, 1],
        ],
      },
      { mark: 'bars' },
    )
    const [area] = pathsOf(svgChart(bars), 'svc-area')
    expect(area?.match(/M/g)).toHaveLength(3)
  })

  test('shows a message if there is no data', () =>
    expect(parsed(svgChart(buildChart({}))).text).toContain('No samples to show.'))
})
