/**
 * The lab markers: biomarkers and panels with their expected results, built from the LOINC table at first use. See
 * docs/interface/labs.md#labs-2.
 */

import { PANELS, type PanelDefinition, SINGLE_OFFERS, type SingleOffer } from './lab-offers.ts'
import { type AskOnOrderEntry, LAB_QUESTIONS } from './lab-questions.ts'

export interface Loinc {
  readonly id: number
  readonly name: string
  readonly slug: string
  readonly code: string
  readonly unit: string | null
}

export interface ExpectedResult {
  readonly id: number
  readonly name: string
  readonly slug: string
  readonly lab_id: number
  /** The lab's code for the result. */
  readonly provider_id: string
  readonly required: boolean
  readonly loinc: Loinc
}

/** A marker, as `GET /v3/lab_tests/markers` returns it. */
export interface Marker {
  readonly id: number
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly lab_id: number
  /** The lab's code for the test. */
  readonly provider_id: string
  readonly type: 'biomarker' | 'panel'
  readonly unit: string | null
  /** US dollars as text, for example `12.00`; `N/A` if the test is not sold separately. */
  readonly price: string
  /** The lab's questions about the ordered marker. */
  readonly aoe: AskOnOrderEntry | null
  readonly a_la_carte_enabled: boolean
  readonly common_tat_days: number
  readonly worst_case_tat_days: number
  readonly is_orderable: boolean
  readonly expected_results: readonly ExpectedResult[]
}

/** A row of the LOINC table (data/loinc.json). Codes and names are LOINC's own, unchanged. */
export interface LoincRow {
  readonly code: string
  /** Long common name, or the component for panels that have no long common name. */
  readonly name: string
  readonly component: string
  readonly system: string
  readonly unit: string | null
  readonly class: string
  readonly rank: number | null
}

/** Builds the markers of the labs with these IDs, in ascending marker ID order. */
export async function buildMarkers(labIds: readonly number[]): Promise<readonly Marker[]> {
  const rows = await loadLoinc()
  const byCode = new Map(rows.map(row => [row.code, row]))
  const names = displayNames(rows)
  return labIds.flatMap(labId => labMarkers(labId, rows, byCode, names)).sort((a, b) => a.id - b.id)
}

/** Loads the LOINC table's rows for tests and panels. */
export async function loadLoinc(): Promise<readonly LoincRow[]> {
  const { default: table } = await import('../data/loinc.json')
  return table.rows.map(row => {
    const [code, name, component, system, unit, group, rank] = row as [
      string,
      string,
      string,
      string,
      string | null,
      string,
      number | null,
    ]
    return { code, name, component, system, unit, class: group, rank }
  })
}

function labMarkers(
  labId: number,
  rows: readonly LoincRow[],
  byCode: ReadonlyMap<string, LoincRow>,
  names: ReadonlyMap<string, string>,
): Marker[] {
  const results = new Map<string, ExpectedResult>()
  const result = (code: string, required: boolean): ExpectedResult => {
    const known = results.get(code) ?? expectedResult(labId, findRow(byCode, code), names.get(code) as string)
    results.set(code, known)
    return required ? known : { ...known, required }
  }
  const panels = PANELS.filter(panel => panel.labs.includes(labId))
  return [
    ...panels.map(panel => panelMarker(labId, panel, result)),
    ...singles(labId, rows).map(row => biomarker(labId, row, result(row.code, true))),
  ]
}

function findRow(byCode: ReadonlyMap<string, LoincRow>, code: string): LoincRow {
  const row = byCode.get(code)
  if (!row) throw new Error(`lab-offers.ts names LOINC ${code}, which data/loinc.json lacks`)
  return row
}

function singles(labId: number, rows: readonly LoincRow[]): LoincRow[] {
  const offers = SINGLE_OFFERS.filter(offer => offer.lab === labId)
  return rows.filter(row => row.class !== 'PANEL' && offers.some(offer => isOffered(offer, row)))
}

function isOffered(offer: SingleOffer, row: LoincRow): boolean {
  if (offer.codes && !offer.codes.includes(row.code)) return false
  if (offer.classes && !offer.classes.includes(row.class)) return false
  if (offer.systems && !offer.systems.includes(row.system)) return false
  return offer.commonUpTo === undefined || (row.rank !== null && row.rank <= offer.commonUpTo)
}

function panelMarker(
  labId: number,
  panel: PanelDefinition,
  result: (code: string, required: boolean) => ExpectedResult,
): Marker {
  const optional = panel.optional ?? []
  const expected = [...panel.members.map(code => result(code, true)), ...optional.map(code => result(code, false))]
  const number = codeNumber(panel.code)
  return {
    id: composeId(labId, number),
    name: panel.name,
    slug: toSlug(panel.name),
    description: `Panel of ${expected.length} results: ${expected.map(each => each.name).join('; ')}`,
    lab_id: labId,
    provider_id: labCode(labId, number, 7919),
    type: 'panel',
    unit: null,
    price: markerPrice(labId, 9 + 2.5 * expected.length),
    aoe: null,
    a_la_carte_enabled: true,
    common_tat_days: 2,
    worst_case_tat_days: 6,
    is_orderable: true,
    expected_results: expected,
  }
}

/** Days until a result is available, by LOINC table class. */
const TURNAROUND: Readonly<Record<string, number>> = {
  CHEM: 1,
  'HEM/BC': 1,
  UA: 1,
  COAG: 2,
  SERO: 3,
  MICRO: 3,
  ALLERGY: 3,
  'DRUG/TOX': 4,
  'MOLPATH.MUT': 7,
}

function biomarker(labId: number, row: LoincRow, result: ExpectedResult): Marker {
  const number = codeNumber(row.code)
  const days = TURNAROUND[row.class] ?? 3
  const sold = number % 6 !== 0
  return {
    id: composeId(labId, number),
    name: result.name,
    slug: result.slug,
    description: row.name,
    lab_id: labId,
    provider_id: labCode(labId, number, 7919),
    type: 'biomarker',
    unit: row.unit,
    price: sold ? markerPrice(labId, 5 + 3 * days + (number % 17)) : 'N/A',
    aoe: LAB_QUESTIONS[row.code] ?? null,
    a_la_carte_enabled: sold,
    common_tat_days: days,
    worst_case_tat_days: days * 2 + 2,
    is_orderable: true,
    expected_results: [result],
  }
}

function expectedResult(labId: number, row: LoincRow, name: string): ExpectedResult {
  const number = codeNumber(row.code)
  return {
    id: composeId(labId, number),
    name,
    slug: toSlug(name),
    lab_id: labId,
    provider_id: labCode(labId, number, 104_729),
    required: true,
    loinc: { id: number, name: row.name, slug: toSlug(row.name), code: row.code, unit: row.unit },
  }
}

/**
 * Returns a short name for each test: the part of LOINC's name before the property, with the specimen if it is not blood. If several tests
 * would have the same name, the most common test has that name and the others keep their full LOINC names.
 */
function displayNames(rows: readonly LoincRow[]): ReadonlyMap<string, string> {
  const holders = new Map<string, LoincRow>()
  for (const row of rows) {
    if (row.class === 'PANEL') continue
    const name = shortName(row)
    const holder = holders.get(name)
    if (!holder || popularityRank(row) < popularityRank(holder)) holders.set(name, row)
  }
  return new Map(rows.map(row => [row.code, holders.get(shortName(row)) === row ? shortName(row) : row.name]))
}

function popularityRank(row: LoincRow): number {
  return row.rank ?? Number.POSITIVE_INFINITY
}

const SPECIMENS: Readonly<Record<string, string>> = {
  Urine: 'Urine',
  'Urine sed': 'Urine Sediment',
  Stool: 'Stool',
  Saliva: 'Saliva',
  Semen: 'Semen',
}

function shortName(row: LoincRow): string {
  const bracket = row.name.indexOf(' [')
  const specimen = SPECIMENS[row.system]
  const analyte = bracket === -1 ? row.name : row.name.slice(0, bracket)
  return specimen === undefined || analyte.includes(specimen) ? analyte : `${analyte}, ${specimen}`
}

/** Returns a LOINC code's number without its check digit. The number is stable, and so are the IDs built from it. */
function codeNumber(code: string): number {
  return Number(code.slice(0, code.indexOf('-')))
}

function composeId(labId: number, number: number): number {
  return labId * 100_000 + number
}

/** Returns the ID of a lab's marker for a LOINC code. For a panel's code, this is the panel's ID. */
export function markerId(labId: number, code: string): number {
  return composeId(labId, codeNumber(code))
}

/** Returns a six-digit code that is unique within the lab, because the factor and the size of the range have no common divisor. */
function labCode(labId: number, number: number, factor: number): string {
  return String(((number * factor + labId * 1009) % 900_000) + 100_000)
}

function markerPrice(labId: number, base: number): string {
  return Math.round(base * (1 + (labId % 5) / 10)).toFixed(2)
}

/** Converts a name to lower-case letters and digits with single hyphens. */
function toSlug(name: string): string {
  let slug = ''
  for (const c of name.toLowerCase()) {
    const plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')
    if (plain) slug += c
    else if (slug !== '' && !slug.endsWith('-')) slug += '-'
  }
  return slug.endsWith('-') ? slug.slice(0, -1) : slug
}
