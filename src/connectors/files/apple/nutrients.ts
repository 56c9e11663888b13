/** The nutrients in an export's food records, and where they go in a meal. Contains data only. */

import { micronutrient } from '../../shared/meal.ts'

/** A nutrient's name in record types, without the prefix, its path in a meal, and how many of the meal's units are a gram or a kcal. */
type Nutrient = readonly [name: string, path: string, scale: number]

function micros(kind: string, names: string): readonly Nutrient[] {
  return names.split(' ').map(name => {
    const { field, perGram } = micronutrient(fieldName(name))
    return [name, `micros.${kind}.${field}`, perGram]
  })
}

/** Returns `pantothenic_acid` for `PantothenicAcid`, and `vitamin_b12` for `VitaminB12`. */
function fieldName(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
}

/** The nutrient that is also a sample. */
export const CARBOHYDRATES = 'Carbohydrates'
/** The path of the only nutrient in kcal. */
export const ENERGY = 'energy.value'

export const NUTRIENTS: readonly Nutrient[] = [
  ['EnergyConsumed', ENERGY, 1],
  [CARBOHYDRATES, 'macros.carbs', 1],
  ['Protein', 'macros.protein', 1],
  ['FatTotal', 'macros.fats.total', 1],
  ['FatSaturated', 'macros.fats.saturated', 1],
  ['FatMonounsaturated', 'macros.fats.monounsaturated', 1],
  ['FatPolyunsaturated', 'macros.fats.polyunsaturated', 1],
  ['Fiber', 'macros.fibre', 1],
  ['Sugar', 'macros.sugar', 1],
  ['Cholesterol', 'macros.cholesterol', 1],
  ...micros('minerals', 'Calcium Chloride Magnesium Phosphorus Potassium Sodium'),
  ...micros('trace_elements', 'Chromium Copper Iodine Iron Manganese Molybdenum Selenium Zinc'),
  ...micros('vitamins', 'Biotin Folate Niacin PantothenicAcid Riboflavin Thiamin'),
  ...micros('vitamins', 'VitaminA VitaminB6 VitaminB12 VitaminC VitaminD VitaminE VitaminK'),
]
