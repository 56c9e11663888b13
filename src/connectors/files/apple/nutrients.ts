/** The nutrients in an export's food records, and where they go in a meal. Contains data only. */

/** A nutrient's name in record types, without the prefix, and its path in a meal. */
type Nutrient = readonly [name: string, path: string]

function micros(kind: string, names: string): readonly Nutrient[] {
  return names.split(' ').map(name => [name, `micros.${kind}.${fieldName(name)}`])
}

/** Returns `pantothenic_acid` for `PantothenicAcid`, and `vitamin_b12` for `VitaminB12`. */
function fieldName(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
}

/** The nutrient that is also a sample. */
export const CARBOHYDRATES = 'Carbohydrates'
/** The path of the only nutrient in kcal; all others are in grams. */
export const ENERGY = 'energy.value'

export const NUTRIENTS: readonly Nutrient[] = [
  ['EnergyConsumed', ENERGY],
  [CARBOHYDRATES, 'macros.carbs'],
  ['Protein', 'macros.protein'],
  ['FatTotal', 'macros.fats.total'],
  ['FatSaturated', 'macros.fats.saturated'],
  ['FatMonounsaturated', 'macros.fats.monounsaturated'],
  ['FatPolyunsaturated', 'macros.fats.polyunsaturated'],
  ['Fiber', 'macros.fibre'],
  ['Sugar', 'macros.sugar'],
  ['Cholesterol', 'macros.cholesterol'],
  ...micros('minerals', 'Calcium Chloride Magnesium Phosphorus Potassium Sodium'),
  ...micros('trace_elements', 'Chromium Copper Iodine Iron Manganese Molybdenum Selenium Zinc'),
  ...micros('vitamins', 'Biotin Folate Niacin PantothenicAcid Riboflavin Thiamin'),
  ...micros('vitamins', 'VitaminA VitaminB6 VitaminB12 VitaminC VitaminD VitaminE VitaminK'),
]
