/**
 * Results of simulated laboratories agree with each other, and still have the requested interpretation. The formulas are written a second
 * time here.
 */
import { describe, expect, it } from 'vitest'
import { DERIVED_RESULTS, listInputs } from '../../../src/catalogue/labs/derived-results.ts'
import { buildMarkers, type Marker } from '../../../src/catalogue/labs/markers.ts'
import { RANGES } from '../../../src/catalogue/labs/reference-ranges.ts'
import { INTERPRETATIONS } from '../../../src/contract/orders/order-result.ts'
import { Stream } from '../../../src/core/random.ts'
import { agreeingResults } from '../../../src/engine/orders/agreeing-results.ts'
import { type Report, type ReportFlags, reportOn } from '../../../src/engine/orders/report.ts'
import type { OrderRecord } from '../../../src/store/order.ts'
import { times } from '../../kit/effort.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const LABCORP = 6

type Value = (code: string) => number
type Formula = readonly [code: string, inputs: readonly string[], of: (value: Value) => number]

/** The relations that a reader of a report can check with a pocket calculator. */
const FORMULAS: readonly Formula[] = [
  ['3097-3', ['3094-0', '2160-0'], v => v('3094-0') / v('2160-0')],
  ['13458-5', ['2571-8'], v => v('2571-8') / 5],
  ['13457-7', ['2093-3', '2085-9', '13458-5'], v => v('2093-3') - v('2085-9') - v('13458-5')],
  ['43396-1', ['2093-3', '2085-9'], v => v('2093-3') - v('2085-9')],
  ['9830-1', ['2093-3', '2085-9'], v => v('2093-3') / v('2085-9')],
  ['11054-4', ['13457-7', '2085-9'], v => v('13457-7') / v('2085-9')],
  ['2336-6', ['2885-2', '1751-7'], v => v('2885-2') - v('1751-7')],
  ['10834-0', ['2885-2', '1751-7'], v => 10 * (v('2885-2') - v('1751-7'))],
  ['1759-0', ['2885-2', '1751-7'], v => v('1751-7') / (v('2885-2') - v('1751-7'))],
  ['1971-1', ['1975-2', '1968-7'], v => v('1975-2') - v('1968-7')],
  ['33037-3', ['2951-2', '2075-0', '2028-9'], v => v('2951-2') - v('2075-0') - v('2028-9')],
  ['2164-2', ['2162-6', '2160-0'], v => (v('2162-6') * 100_000) / 1440 / v('2160-0')],
  ['787-2', ['4544-3', '789-8'], v => (v('4544-3') / v('789-8')) * 10],
  ['785-6', ['718-7', '789-8'], v => (v('718-7') / v('789-8')) * 10],
  ['786-4', ['718-7', '4544-3'], v => (v('718-7') / v('4544-3')) * 100],
  ['751-8', ['6690-2', '770-8'], v => (v('6690-2') * v('770-8')) / 100],
  ['731-0', ['6690-2', '736-9'], v => (v('6690-2') * v('736-9')) / 100],
  ['742-7', ['6690-2', '5905-5'], v => (v('6690-2') * v('5905-5')) / 100],
  ['711-2', ['6690-2', '713-8'], v => (v('6690-2') * v('713-8')) / 100],
  ['704-7', ['6690-2', '706-2'], v => (v('6690-2') * v('706-2')) / 100],
  ['2502-3', ['2498-4', '2500-7'], v => (v('2498-4') / v('2500-7')) * 100],
  ['2501-5', ['2498-4', '2500-7'], v => v('2500-7') - v('2498-4')],
  ['12841-3', ['10886-0', '2857-1'], v => (v('10886-0') / v('2857-1')) * 100],
  ['15432-8', ['2991-8', '2986-8'], v => (v('2991-8') / 10 / v('2986-8')) * 100],
  ['62292-8', ['1990-1', '2236-8'], v => v('1990-1') + v('2236-8') / 1000],
  ['27353-2', ['4548-4'], v => 28.7 * v('4548-4') - 46.7],
]
const SHARES = ['770-8', '736-9', '5905-5', '713-8', '706-2']

const markers: Promise<readonly Marker[]> = buildMarkers([LABCORP])
/** Panels with the results above, and how they are ordered. */
const PANELS = [
  'Comprehensive Metabolic Panel',
  'Lipid Panel',
  'Complete Blood Count with Differential',
  'Hepatic Function Panel',
  'Electrolyte Panel',
  'Iron and Total Iron Binding Capacity',
  'Testosterone, Free and Total',
  'Vitamin D, D2 and D3',
  'Prostate Specific Antigen, Free and Total',
  'Creatinine Clearance',
  'Lipid Panel with Direct LDL',
]

async function ordered(names: readonly string[], codes: readonly string[] = []): Promise<readonly Marker[]> {
  const all = await markers
  const found = names.map(name => all.find(each => each.type === 'panel' && each.name === name))
  const singles = codes.map(code =>
    all.find(each => each.type === 'biomarker' && each.expected_results[0]?.loinc.code === code),
  )
  return [...found, ...singles].filter(each => each !== undefined)
}

function report(
  panel: readonly Marker[],
  seed: string,
  flags: ReportFlags,
  patient = { dob: '1986-05-01', gender: 'female' },
): Report {
  const record = { orderId: seed, createdAt: NOW, document: { patient, events: [] } }
  return reportOn(record as unknown as OrderRecord, panel, { seed, flags, low: 'completed', at: NOW })
}

/** Returns the contradictions. Half a unit in the last digit counts as rounding, also in an input of a ratio. */
function disagreements({ lines }: Report): string[] {
  const values = new Map(lines.map(line => [line.loinc, line.value]))
  const wrong = FORMULAS.flatMap(([code, inputs, of]) => {
    const value = values.get(code)
    if (value === undefined || inputs.some(input => !values.has(input))) return []
    const expected = of(input => values.get(input) as number)
    const half = 0.5 * 10 ** -(RANGES.get(code)?.decimals ?? 0)
    return Math.abs(value - expected) <= half * 1.02 ? [] : [`${code} is ${value}, expected ${expected}`]
  })
  if (SHARES.every(code => values.has(code))) {
    const sum = [...SHARES, '71695-1'].reduce((total, code) => total + (values.get(code) ?? 0), 0)
    if (Math.abs(sum - 100) > 0.051) wrong.push(`the differential adds up to ${sum}`)
  }
  return wrong
}

describe('the results of a simulated report', () => {
  it.each(INTERPRETATIONS)('agree with each other if it is %s, and have that interpretation', async interpretation => {
    for (const name of PANELS) {
      const panel = await ordered([name])
      expect(panel, name).toHaveLength(1)
      for (let i = 0; i < times(60); i++) {
        const done = report(panel, `${name} ${i}`, { interpretation })
        expect(disagreements(done), `${name} ${i}`).toEqual([])
        const found = done.lines.map(line => line.interpretation)
        if (interpretation === 'unknown') expect(new Set(found)).toEqual(new Set(['unknown']))
        if (interpretation === 'normal') expect(new Set(found), `${name} ${i}`).toEqual(new Set(['normal']))
        if (interpretation === 'abnormal') expect(found).toContain('abnormal')
        expect(found.filter(each => each === 'critical')).toHaveLength(interpretation === 'critical' ? 1 : 0)
        // some 80,000 lines, for which an expectation each would take seconds
        const wrong = done.lines.filter(line => {
          const { value, min_range_value: low, max_range_value: high } = line
          if (line.is_above_max_range !== (high !== null && value > high)) return true
          if (line.is_below_min_range !== (low !== null && value < low)) return true
          return !(value >= 0) || (line.unit === '%' && value > 100)
        })
        expect(wrong, `${name} ${i}`).toEqual([])
      }
    }
  })

  it('agree across an order’s markers, whatever the method', async () => {
    const all = await markers
    const derived = [...DERIVED_RESULTS.keys()].filter(code =>
      all.some(each => each.type === 'biomarker' && each.expected_results[0]?.loinc.code === code),
    )
    expect(derived.length).toBeGreaterThan(30)
    const panel = await ordered(PANELS, derived)
    for (let i = 0; i < times(15); i++) {
      const done = report(panel, `all ${i}`, { interpretation: 'normal' })
      expect(disagreements(done)).toEqual([])
      expect(new Set(done.lines.map(line => line.interpretation))).toEqual(new Set(['normal']))
      const value = (code: string) => done.lines.find(line => line.loinc === code)?.value
      for (const [a, b] of [
        ['13457-7', '18262-6'],
        ['33914-3', '77147-7'],
        ['736-9', '737-7'],
        ['787-2', '30428-7'],
      ] as const) {
        if (value(a) !== undefined && value(b) !== undefined) expect(value(a)).toBe(value(b))
      }
    }
  })

  it('determine every derived result, also on its own', async () => {
    const panel = await ordered(PANELS)
    for (const interpretation of ['abnormal', 'critical'] as const) {
      const found = new Set<string | null>()
      for (let i = 0; i < times(150); i++) {
        const done = report(panel, `deciding ${i}`, { interpretation })
        expect(disagreements(done)).toEqual([])
        for (const line of done.lines) if (line.interpretation === interpretation) found.add(line.loinc)
      }
      expect([...found].filter(code => code !== null && DERIVED_RESULTS.has(code)).length).toBeGreaterThan(8)
    }
  })

  it('can be driven by any result, on either side', async () => {
    const markersOfAll = await markers
    const panels = markersOfAll.filter(each => each.type === 'panel').map(each => each.expected_results)
    const many = (await ordered(PANELS)).flatMap(each => each.expected_results)
    for (const [n, results] of [...panels, many].entries()) {
      const codes = [...new Set(results.map(each => each.loinc.code))].filter(code => RANGES.has(code))
      for (const finding of codes) {
        for (const standing of ['low', 'high', 'critical_low', 'critical_high'] as const) {
          const range = RANGES.get(finding)
          if (standing.endsWith('low') ? !range?.low : range?.high === null) continue
          const interpretation = standing.startsWith('critical') ? ('critical' as const) : ('abnormal' as const)
          const standings = new Map(codes.map(code => [code, code === finding ? standing : ('normal' as const)]))
          for (const [ageYears, isFemale] of [
            [25, false],
            [95, true],
          ] as const) {
            const wanted = { standings, finding, interpretation, patient: { ageYears, isFemale } }
            const found = agreeingResults(wanted, code => new Stream('deciding', String(n), finding, standing, code))
            const result = found.get(finding)
            if (result) expect(result.standing.startsWith('critical'), finding).toBe(interpretation === 'critical')
          }
        }
      }
    }
  })

  it('have a filtration rate that fits creatinine, age and sex', async () => {
    const panel = await ordered(['Basic Metabolic Panel'], ['33914-3'])
    for (const [dob, gender] of [
      ['1936-01-01', 'female'],
      ['1946-01-01', 'male'],
      ['2001-01-01', 'male'],
      ['1897-01-01', 'female'],
    ] as const) {
      const ageYears = 2026 - Number(dob.slice(0, 4))
      for (let i = 0; i < times(40); i++) {
        const { lines } = report(panel, `rate ${i}`, { interpretation: 'normal' }, { dob, gender })
        const value = (code: string) => lines.find(line => line.loinc === code)?.value ?? Number.NaN
        const rate = 175 * value('2160-0') ** -1.154 * ageYears ** -0.203 * (gender === 'female' ? 0.742 : 1)
        expect(Math.abs(value('33914-3') - rate), dob).toBeLessThanOrEqual(0.51)
        expect(value('33914-3')).toBeGreaterThanOrEqual(60)
      }
    }
  })

  it('have a range for every result that others are derived from', () => {
    const reported = new Set(RANGES.keys())
    const codes = [...DERIVED_RESULTS].flatMap(([code, derivation]) => [code, ...listInputs(derivation, reported)])
    expect(codes.filter(code => !RANGES.has(code))).toEqual([])
  })
})
