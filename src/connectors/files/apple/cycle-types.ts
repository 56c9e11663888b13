/** Maps record types about reproductive health to the lists of a menstrual cycle. Contains data only. */

/** How a record becomes an entry of a list. */
export interface CycleRule {
  /** The list, which is named as in docs/interface/summaries.md. */
  readonly list: string
  /** The entry's field, or null if an entry only has a date. */
  readonly field: string | null
  /** The field's values, by category in the file; null if it does not depend on the category. */
  readonly categories: ReadonlyMap<string, string> | null
  /** The field's value if it does not depend on the category. */
  readonly value?: string
  /** The days that get an entry; by default the first one. */
  readonly days?: 'last' | 'each'
}

const CATEGORY = 'HKCategoryTypeIdentifier'
/** Types whose categories have a new name since iOS 18. */
const RENAMED: ReadonlyMap<string, string> = new Map([['MenstrualFlow', 'VaginalBleeding']])

/** Returns a rule for a type with categories: `words`, in the order of their numbers, which early exports contain. */
function listed(name: string, list: string, field: string, words: string, days?: 'each'): [string, CycleRule] {
  const categories = words.split(' ').flatMap((word, i) => {
    const value = snakeCase(word)
    const names = [name, RENAMED.get(name) ?? name].map(prefix => `HKCategoryValue${prefix}${word}`)
    return [...names, String(i + 1)].map(category => [category, value] as const)
  })
  return [CATEGORY + name, { list, field, categories: new Map(categories), ...(days && { days }) }]
}

/** Returns `egg_white` for `EggWhite`. */
function snakeCase(name: string): string {
  if (name === 'IntrauterineDevice') return 'iud'
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
}

/** A deviation is about many days, of which the last one shows it. */
function deviation(name: string): [string, CycleRule] {
  const value = snakeCase(name)
  return [CATEGORY + name, { list: 'detected_deviations', field: 'deviation', categories: null, value, days: 'last' }]
}

export const FLOW = 'menstrual_flow'
export const SEXUAL_ACTIVITY = 'sexual_activity'
const TESTED = 'test_result'
const OVULATION = 'Negative LuteinizingHormoneSurge Indeterminate EstrogenSurge Positive'
const CONTRACEPTIVES = 'Unspecified Implant Injection IntrauterineDevice IntravaginalRing Oral Patch'

/** Rules by record type. */
export const CYCLE_RULES: ReadonlyMap<string, CycleRule> = new Map([
  listed('MenstrualFlow', FLOW, 'flow', 'Unspecified Light Medium Heavy None'),
  listed('CervicalMucusQuality', 'cervical_mucus', 'quality', 'Dry Sticky Creamy Watery EggWhite'),
  listed('OvulationTestResult', 'ovulation_test', TESTED, OVULATION),
  listed('PregnancyTestResult', 'home_pregnancy_test', TESTED, 'Negative Positive Indeterminate'),
  listed('ProgesteroneTestResult', 'home_progesterone_test', TESTED, 'Negative Positive Indeterminate'),
  listed('Contraceptive', 'contraceptive', 'type', CONTRACEPTIVES, 'each'),
  [`${CATEGORY}IntermenstrualBleeding`, { list: 'intermenstrual_bleeding', field: null, categories: null }],
  [`${CATEGORY}SexualActivity`, { list: SEXUAL_ACTIVITY, field: 'protection_used', categories: null }],
  deviation('PersistentIntermenstrualBleeding'),
  deviation('ProlongedMenstrualPeriods'),
  deviation('IrregularMenstrualCycles'),
  deviation('InfrequentMenstrualCycles'),
])
