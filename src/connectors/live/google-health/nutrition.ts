/** Converts food and drinks logged in Google Health into meals and samples. */
import { formatInstant } from '../../../core/time.ts'
import { asText } from '../../shared/json-fields.ts'
import { summaryAt } from '../../shared/summaries.ts'
import { numberAt } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import { type Point, readInterval, sessionSource } from './point.ts'

export const NUTRITION_LOG = 'nutrition-log'
export const HYDRATION_LOG = 'hydration-log'

/** Nutrients by field of `macros`, in grams. */
const MACROS: Readonly<Record<string, string>> = {
  protein: 'PROTEIN',
  fibre: 'DIETARY_FIBER',
  sugar: 'SUGAR',
  cholesterol: 'CHOLESTEROL',
}
const FATS: Readonly<Record<string, string>> = {
  saturated: 'SATURATED_FAT',
  monounsaturated: 'MONOUNSATURATED_FAT',
  polyunsaturated: 'POLYUNSATURATED_FAT',
}
/** Nutrients by field of `micros`, also in grams, with lower-case names. */
const MICROS: Readonly<Record<string, readonly string[]>> = {
  minerals: ['CALCIUM', 'CHLORIDE', 'MAGNESIUM', 'PHOSPHORUS', 'POTASSIUM', 'SODIUM'],
  trace_elements: ['CHROMIUM', 'COPPER', 'IODINE', 'IRON', 'MANGANESE', 'MOLYBDENUM', 'SELENIUM', 'ZINC'],
  vitamins: [
    ...['BIOTIN', 'FOLATE', 'FOLIC_ACID', 'NIACIN', 'PANTOTHENIC_ACID', 'RIBOFLAVIN', 'THIAMIN'],
    ...['VITAMIN_A', 'VITAMIN_B6', 'VITAMIN_B12', 'VITAMIN_C', 'VITAMIN_D', 'VITAMIN_E', 'VITAMIN_K'],
  ],
}
const CAFFEINE = 'CAFFEINE'
const CARBOHYDRATES = 'CARBOHYDRATES'
const KNOWN_NUTRIENTS: ReadonlySet<string> = new Set([
  ...[CAFFEINE, CARBOHYDRATES, ...Object.values(MACROS), ...Object.values(FATS)],
  ...Object.values(MICROS).flat(),
])
const macroRows = (names: Readonly<Record<string, string>>, rule: string): readonly MappingRow[] =>
  Object.entries(names).map(([field, name]) => ({
    from: `nutritionLog.nutrients ${name}`,
    to: 'meal.macros',
    rule: `g; ${rule}${field}`,
  }))

export const NUTRITION_MAPPING: readonly MappingRow[] = [
  { from: 'nutritionLog.foodDisplayName', to: 'meal.name', rule: 'otherwise mealType' },
  { from: 'nutritionLog.energy.kcal', to: 'meal.energy', rule: '' },
  { from: 'nutritionLog.totalCarbohydrate.grams', to: 'meal.macros', rule: 'carbs' },
  { from: 'nutritionLog.totalFat.grams', to: 'meal.macros', rule: 'fats.total' },
  ...macroRows(MACROS, ''),
  ...macroRows(FATS, 'fats.'),
  ...Object.entries(MICROS).map(([kind, names]) => ({
    from: `nutritionLog.nutrients ${names.join(', ')}`,
    to: 'meal.micros',
    rule: `g; ${kind}`,
  })),
  { from: 'nutritionLog.totalCarbohydrate.grams', to: 'carbohydrates', rule: 'over the meal' },
  { from: `nutritionLog.nutrients ${CAFFEINE}`, to: 'caffeine', rule: 'g, over the meal' },
  { from: 'hydrationLog.amountConsumed.milliliters', to: 'water', rule: '' },
]

/** Adds a food entry's record, or counts the entry if it cannot be read. */
export function addMeal(point: Point, log: RecordView, page: LivePage) {
  const interval = readInterval(point.body)
  if (interval === undefined) return log.leaveOut('without a time')
  const grams = gramsIn(log, page)
  const { start, end } = interval
  // people enter food and drinks by hand
  const source = sessionSource(page, point, interval, start, 'app')
  const carbs = log.number('totalCarbohydrate.grams') ?? grams.get(CARBOHYDRATES)
  const energy = log.number('energy.kcal')
  const [name, type] = [log.text('foodDisplayName'), log.text('mealType')]
  const record = page.record(source.recordId, contentVersion(point.body, page.asked.resources))
  record.summary(
    summaryAt(source, 'meal', start.ms, {
      timestamp: formatInstant(start.ms),
      name: name || mealName(type),
      energy: energy === undefined ? null : { unit: 'kcal', value: energy },
      macros: {
        carbs: carbs ?? null,
        ...picked(grams, MACROS),
        fats: { ...picked(grams, FATS), omega3: null, omega6: null, total: log.number('totalFat.grams') ?? null },
        alcohol: null,
        water: null,
      },
      micros: micronutrients(grams),
      data: null,
      priority_id: 0,
      source_id: 0,
      provider_id: source.recordId,
      source_app_id: null,
      source_device_id: null,
    }),
  )
  const common = { sourceType: source.sourceType, start: start.ms, end: end.ms, offset: start.offset }
  const add = (resource: string, value: number | undefined): void => {
    if (value !== undefined) record.samples.add({ ...common, resource, value }, NUTRITION_LOG)
  }
  add('carbohydrates', carbs)
  add('caffeine', grams.get(CAFFEINE))
}

/** Adds a drink's record, or counts the drink if it cannot be read. */
export function addWater(point: Point, log: RecordView, page: LivePage) {
  const interval = readInterval(point.body)
  const value = log.number('amountConsumed.milliliters')
  if (interval === undefined || value === undefined) return page.skip(`${HYDRATION_LOG} without a time or an amount`)
  const { start, end } = interval
  const { recordId, sourceType } = sessionSource(page, point, interval, start, 'app')
  const sample = { resource: 'water', sourceType, start: start.ms, end: end.ms, offset: start.offset, value }
  page.record(recordId, contentVersion(point.body)).samples.add(sample, HYDRATION_LOG)
}

/** Returns each nutrient in grams, and counts nutrients without a field. */
function gramsIn(log: RecordView, page: LivePage): ReadonlyMap<string, number> {
  const grams = new Map<string, number>()
  for (const each of log.objects('nutrients')) {
    const name = asText(each['nutrient']) ?? ''
    const value = numberAt(each, 'quantity.grams')
    if (value === undefined || !KNOWN_NUTRIENTS.has(name)) page.skip(`${NUTRITION_LOG}.nutrients ${name}`)
    else grams.set(name, value)
  }
  return grams
}

function picked(grams: ReadonlyMap<string, number>, names: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(names).map(([field, name]) => [field, grams.get(name) ?? null]))
}

function micronutrients(grams: ReadonlyMap<string, number>) {
  const kinds = Object.entries(MICROS).map(([kind, names]) => {
    const known = names.filter(name => grams.has(name)).map(name => [name.toLowerCase(), grams.get(name)] as const)
    return [kind, known.length === 0 ? null : Object.fromEntries(known)] as const
  })
  return kinds.every(([, amounts]) => amounts === null) ? null : Object.fromEntries(kinds)
}

/** Returns a meal type as text: `Before lunch` for `BEFORE_LUNCH`. */
function mealName(type: string | undefined): string {
  if (type === undefined || type === 'MEAL_TYPE_UNSPECIFIED') return 'Meal'
  const words = type.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
