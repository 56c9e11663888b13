/** Builds the nutrients of meals from their amounts. */
import { MEAL } from '../../catalogue/query/meal.ts'

/** Nutrients by field of `macros`. */
export const MACROS: Readonly<Record<string, string>> = {
  protein: 'protein',
  fibre: 'dietary_fiber',
  sugar: 'sugar',
  cholesterol: 'cholesterol',
}
/** Nutrients by field of `macros.fats`. */
export const FATS: Readonly<Record<string, string>> = {
  saturated: 'saturated_fat',
  monounsaturated: 'monounsaturated_fat',
  polyunsaturated: 'polyunsaturated_fat',
}
/** Nutrients by field of `micros`, which contains them under the same names. */
export const MICROS: Readonly<Record<string, readonly string[]>> = {
  minerals: ['calcium', 'chloride', 'magnesium', 'phosphorus', 'potassium', 'sodium'],
  trace_elements: ['chromium', 'copper', 'iodine', 'iron', 'manganese', 'molybdenum', 'selenium', 'zinc'],
  vitamins: [
    ...['biotin', 'folate', 'folic_acid', 'niacin', 'pantothenic_acid', 'riboflavin', 'thiamin'],
    ...['vitamin_a', 'vitamin_b6', 'vitamin_b12', 'vitamin_c', 'vitamin_d', 'vitamin_e', 'vitamin_k'],
  ],
}

/** What was eaten. */
export interface Eaten {
  readonly energyKcal: number | undefined
  /** In grams. */
  readonly carbs: number | undefined
  readonly fat: number | undefined
  /** Grams by the nutrient's name. */
  readonly grams: ReadonlyMap<string, number>
}

/** Returns a meal's fields for `mealSummary`. */
export function nutrientFields({ energyKcal, carbs, fat, grams }: Eaten): Readonly<Record<string, unknown>> {
  return {
    energy: energyKcal === undefined ? null : { unit: 'kcal', value: energyKcal },
    macros: {
      carbs: carbs ?? null,
      ...picked(grams, MACROS),
      fats: { ...picked(grams, FATS), omega3: null, omega6: null, total: fat ?? null },
      alcohol: null,
      water: null,
    },
    micros: micronutrients(grams),
    data: null,
  }
}

/** Nutrients whose columns have another name for the same substance. */
const RENAMED: ReadonlyMap<string, string> = new Map([['thiamin', 'vitamin_b1']])

/** Returns a micronutrient's field in a meal, and how many of its units are a gram. Queries read it in the unit of its column; without one, it is in mg. */
export function micronutrient(name: string): { readonly field: string; readonly perGram: number } {
  const field = RENAMED.get(name) ?? name
  const isMicrogram = MEAL.columns.some(column => column.name === `${field}_microgram`)
  return { field, perGram: isMicrogram ? 1e6 : 1e3 }
}

/** Rounds an amount of a meal to 6 decimals of its unit. */
export function roundAmount(amount: number): number {
  return Math.round(amount * 1e6) / 1e6
}

function picked(grams: ReadonlyMap<string, number>, names: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(names).map(([field, name]) => [field, grams.get(name) ?? null]))
}

function micronutrients(grams: ReadonlyMap<string, number>) {
  const kinds = Object.entries(MICROS).map(([kind, names]) => {
    const known = names.flatMap(name => {
      const amount = grams.get(name)
      if (amount === undefined) return []
      const { field, perGram } = micronutrient(name)
      return [[field, roundAmount(amount * perGram)] as const]
    })
    return [kind, known.length === 0 ? null : Object.fromEntries(known)] as const
  })
  return kinds.every(([, amounts]) => amounts === null) ? null : Object.fromEntries(kinds)
}
