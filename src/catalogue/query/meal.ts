/** The meal table: one row per meal. */
import { column, type QueryColumn, SOURCE_COLUMNS, type SummaryTable } from './column.ts'

const gram = (name: string, meaning: string, key: string): QueryColumn =>
  column(`${name}_gram`, 'float', `${meaning}, g`, `macros.${key}`)

type Unit = 'milligram' | 'microgram'
const UNIT_SIGNS: Readonly<Record<Unit, string>> = { milligram: 'mg', microgram: 'µg' }

/** A meal's lists that may contain a nutrient. Providers differ in which list they use. */
const LISTS = ['minerals', 'trace_elements', 'vitamins'] as const

const nutrient = (unit: Unit, name: string, meaning: string): QueryColumn => ({
  name: `${name}_${unit}`,
  type: 'float',
  meaning: `${meaning}, ${UNIT_SIGNS[unit]}`,
  origin: { kind: 'first', paths: LISTS.map(list => ['micros', list, name]) },
})

export const MEAL: SummaryTable = {
  name: 'meal',
  meaning: 'Meals',
  summary: 'meal',
  index: { kind: 'at' },
  indexMeaning: 'Time of the meal, local time',
  columns: [
    { name: 'date', type: 'date', meaning: 'Calendar date', origin: { kind: 'record', field: 'date' } },
    column('name', 'text', 'Name of the meal'),
    column('calories', 'float', 'Energy, kcal', 'energy.value'),
    gram('carbohydrate', 'Carbohydrates', 'carbs'),
    gram('protein', 'Protein', 'protein'),
    gram('alcohol', 'Alcohol', 'alcohol'),
    gram('water', 'Water', 'water'),
    gram('fibre', 'Fibre', 'fibre'),
    gram('sugar', 'Sugar', 'sugar'),
    gram('cholesterol', 'Cholesterol', 'cholesterol'),
    gram('saturated_fat', 'Saturated fat', 'fats.saturated'),
    gram('monounsaturated_fat', 'Monounsaturated fat', 'fats.monounsaturated'),
    gram('polyunsaturated_fat', 'Polyunsaturated fat', 'fats.polyunsaturated'),
    gram('omega3_fat', 'Omega-3 fatty acids', 'fats.omega3'),
    gram('omega6_fat', 'Omega-6 fatty acids', 'fats.omega6'),
    gram('total_fat', 'Fat', 'fats.total'),
    nutrient('milligram', 'sodium', 'Sodium'),
    nutrient('milligram', 'potassium', 'Potassium'),
    nutrient('milligram', 'calcium', 'Calcium'),
    nutrient('milligram', 'phosphorus', 'Phosphorus'),
    nutrient('milligram', 'magnesium', 'Magnesium'),
    nutrient('milligram', 'iron', 'Iron'),
    nutrient('milligram', 'zinc', 'Zinc'),
    nutrient('milligram', 'fluoride', 'Fluoride'),
    nutrient('milligram', 'chloride', 'Chloride'),
    nutrient('milligram', 'vitamin_a', 'Vitamin A'),
    nutrient('milligram', 'vitamin_b1', 'Vitamin B1'),
    nutrient('milligram', 'riboflavin', 'Riboflavin'),
    nutrient('milligram', 'niacin', 'Niacin'),
    nutrient('milligram', 'pantothenic_acid', 'Pantothenic acid'),
    nutrient('milligram', 'vitamin_b6', 'Vitamin B6'),
    nutrient('milligram', 'vitamin_c', 'Vitamin C'),
    nutrient('milligram', 'vitamin_e', 'Vitamin E'),
    nutrient('milligram', 'copper', 'Copper'),
    nutrient('milligram', 'manganese', 'Manganese'),
    nutrient('microgram', 'biotin', 'Biotin'),
    nutrient('microgram', 'vitamin_b12', 'Vitamin B12'),
    nutrient('microgram', 'vitamin_d', 'Vitamin D'),
    nutrient('microgram', 'vitamin_k', 'Vitamin K'),
    nutrient('microgram', 'folic_acid', 'Folic acid'),
    nutrient('microgram', 'chromium', 'Chromium'),
    nutrient('microgram', 'iodine', 'Iodine'),
    nutrient('microgram', 'molybdenum', 'Molybdenum'),
    nutrient('microgram', 'selenium', 'Selenium'),
    ...SOURCE_COLUMNS,
  ],
  lists: [],
}
