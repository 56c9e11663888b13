/** Reads the meals of a Health Connect export. */
import { FATS, MACROS, MICROS, nutrientFields } from '../../shared/meal.ts'
import { mealSummary } from '../../shared/summaries.ts'
import { summaryOrigin } from '../sqlite/recorded-by.ts'
import { type Reading, type SessionRecord, sessionRecords, stated } from './records.ts'
import { WHOLE_INTERVAL } from './tables.ts'

const TABLE = 'nutrition_record_table'
/** Amounts in grams, in columns with the name of the nutrient. */
const GRAMS = [...Object.values(MACROS), ...Object.values(FATS), ...Object.values(MICROS).flat()]
const [CARBS, FAT, CAFFEINE, ENERGY] = ['total_carbohydrate', 'total_fat', 'caffeine', 'energy'] as const
const SMALL_CALORIES_PER_KCAL = 1000
const MEAL_TYPES = ['Meal', 'Breakfast', 'Lunch', 'Dinner', 'Snack']

/** Adds each meal, and its carbohydrates and caffeine as samples. Yields after each meal. */
export async function* addMeals(reading: Reading): AsyncGenerator<void> {
  const table = reading.tables.get(TABLE)
  if (table === undefined) return
  const columns = ['meal_name', 'meal_type', CARBS, FAT, CAFFEINE, ENERGY, ...GRAMS]
  for await (const record of sessionRecords(reading, table, columns, WHOLE_INTERVAL)) {
    addMeal(reading, record)
    yield
  }
}

function addMeal(reading: Reading, { rows, i, id, start, end, offset, source }: SessionRecord): void {
  const { importing } = reading
  const amount = (column: string): number | undefined => {
    const value = stated(rows.numbers(column)[i])
    return value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined
  }
  const grams = new Map(GRAMS.flatMap(name => [[name, amount(name)] as const]).filter(isStated))
  const [carbs, caffeine, energy] = [amount(CARBS), amount(CAFFEINE), amount(ENERGY)]
  const origin = summaryOrigin(importing, source, id, { ms: start, offset })
  const name = rows.text('meal_name', i) || MEAL_TYPES[rows.numbers('meal_type')[i] ?? 0] || 'Meal'
  const energyKcal = energy === undefined ? undefined : energy / SMALL_CALORIES_PER_KCAL
  const fields = nutrientFields({ energyKcal, carbs, fat: amount(FAT), grams })
  importing.addItem({ kind: 'summary', summary: mealSummary(origin, start, name, fields) })
  for (const [resource, value] of [['carbohydrates', carbs] as const, ['caffeine', caffeine] as const]) {
    if (value !== undefined)
      importing.collector.add(source.series(resource), { start, end, value, offset, text: source.text })
  }
}

function isStated(entry: readonly [string, number | undefined]): entry is readonly [string, number] {
  return entry[1] !== undefined
}
