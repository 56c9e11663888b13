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
  /** The days that get an entry: the first or the last day of the record, or each one. */
  readonly days: 'first' | 'last' | 'each'
}

const CATEGORY = 'HKCategoryTypeIdentifier'
/** Types whose categories have a new name since iOS 18. */
const RENAMED: ReadonlyMap<string, string> = new Map([['MenstrualFlow', 'VaginalBleeding']])

/**
 * Returns a rule for a type with categories. `words` lists them in the order of their numbers, which early exports contain, as `Name` or
 * `Name=value`.
 */
function listed(
  name: string,
  list: string,
  field: string,
  words: string,
  days: CycleRule['days'] = 'first',
): [string, CycleRule] {
  const categories = new Map<string, string>()
  for (const [i, word] of words.split(' ').entries()) {
    const [category = '', value = snakeCase(category)] = word.split('=')
    for (const prefix of [name, RENAMED.get(name) ?? name]) categories.set(`HKCategoryValue${prefix}${category}`, value)
    categories.set(String(i + 1), value)
  }
  return [CATEGORY + name, { list, field, categories, days }]
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
}

function deviation(name: string): [string, CycleRule] {
  const rule = { list: 'detected_deviations', field: 'deviation', categories: null, value: snakeCase(name) }
  return [CATEGORY + name, { ...rule, days: 'last' }]
}

function dated(name: string, list: string, field: string | null = null): [string, CycleRule] {
  return [CATEGORY + name, { list, field, categories: null, days: 'first' }]
}

export const FLOW = 'menstrual_flow'
export const SEXUAL_ACTIVITY = 'sexual_activity'
const TESTED = 'test_result'
const OVULATION = 'Negative LuteinizingHormoneSurge Indeterminate EstrogenSurge Positive'
const CONTRACEPTIVES = 'Unspecified Implant Injection IntrauterineDevice=iud IntravaginalRing Oral Patch'

/** Rules by record type. */
export const CYCLE_RULES: ReadonlyMap<string, CycleRule> = new Map([
  listed('MenstrualFlow', FLOW, 'flow', 'Unspecified Light Medium Heavy None'),
  listed('CervicalMucusQuality', 'cervical_mucus', 'quality', 'Dry Sticky Creamy Watery EggWhite'),
  listed('OvulationTestResult', 'ovulation_test', TESTED, OVULATION),
  listed('PregnancyTestResult', 'home_pregnancy_test', TESTED, 'Negative Positive Indeterminate'),
  listed('ProgesteroneTestResult', 'home_progesterone_test', TESTED, 'Negative Positive Indeterminate'),
  listed('Contraceptive', 'contraceptive', 'type', CONTRACEPTIVES, 'each'),
  dated('IntermenstrualBleeding', 'intermenstrual_bleeding'),
  dated('SexualActivity', SEXUAL_ACTIVITY, 'protection_used'),
  deviation('PersistentIntermenstrualBleeding'),
  deviation('ProlongedMenstrualPeriods'),
  deviation('IrregularMenstrualCycles'),
  deviation('InfrequentMenstrualCycles'),
])
