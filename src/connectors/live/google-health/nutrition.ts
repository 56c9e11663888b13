/** Converts food and drinks logged in Google Health into meals and samples. */
import { asText } from '../../shared/json-fields.ts'
import { FATS, MACROS, MICROS, nutrientFields } from '../../shared/meal.ts'
import { mealSummary } from '../../shared/summaries.ts'
import { numberAt } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import { type Point, readInterval, sessionSource } from './point.ts'

export const NUTRITION_LOG = 'nutrition-log'
export const HYDRATION_LOG = 'hydration-log'

/** Returns Google's name for a nutrient. */
const sentName = (name: string): string => name.toUpperCase()
const CAFFEINE = 'caffeine'
const CARBOHYDRATES = 'carbohydrates'
const KNOWN_NUTRIENTS: ReadonlySet<string> = new Set([
  ...[CAFFEINE, CARBOHYDRATES, ...Object.values(MACROS), ...Object.values(FATS)],
  ...Object.values(MICROS).flat(),
])
const macroRows = (names: Readonly<Record<string, string>>, rule: string): readonly MappingRow[] =>
  Object.entries(names).map(([field, name]) => ({
    from: `nutritionLog.nutrients ${sentName(name)}`,
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
    from: `nutritionLog.nutrients ${names.map(sentName).join(', ')}`,
    to: 'meal.micros',
    rule: `g to mg or µg, as queries read it; ${kind}`,
  })),
  { from: 'nutritionLog.totalCarbohydrate.grams', to: 'carbohydrates', rule: 'over the meal' },
  { from: `nutritionLog.nutrients ${sentName(CAFFEINE)}`, to: 'caffeine', rule: 'g, over the meal' },
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
  const [name, type] = [log.text('foodDisplayName'), log.text('mealType')]
  const record = page.record(source.recordId, contentVersion(point.body, page.asked.resources))
  record.summary(
    mealSummary(
      source,
      start.ms,
      name || mealName(type),
      nutrientFields({ energyKcal: log.number('energy.kcal'), carbs, fat: log.number('totalFat.grams'), grams }),
    ),
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
    const sent = asText(each['nutrient']) ?? ''
    const name = sent.toLowerCase()
    const value = numberAt(each, 'quantity.grams')
    if (value === undefined || sentName(name) !== sent || !KNOWN_NUTRIENTS.has(name))
      page.skip(`${NUTRITION_LOG}.nutrients ${sent}`)
    else grams.set(name, value)
  }
  return grams
}

/** Returns a meal type as text: `Before lunch` for `BEFORE_LUNCH`. */
function mealName(type: string | undefined): string {
  if (type === undefined || type === 'MEAL_TYPE_UNSPECIFIED') return 'Meal'
  const words = type.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
