/** The food records of an export become meals. */
import { expect, test } from 'vitest'
import { accounted, exportXml, importBytes, readDamaged, record } from '../exports.ts'

const Q = 'HKQuantityTypeIdentifierDietary'
const NOON = { startDate: '2026-01-01 12:00:00 +0100', endDate: '2026-01-01 12:00:00 +0100', sourceName: 'Diary' }
type Attributes = Readonly<Record<string, string>>

const nutrient = (name: string, value: string, unit: string, more: Attributes = {}): string =>
  record(`${Q}${name}`, value, unit, { ...NOON, ...more })
const metadata = (key: string, value: string): string => `<MetadataEntry key="${key}" value="${value}"/>`
/** Returns a food's correlation. As in an export, the file must also list its records on their own. */
const food = (inside: string, more: Attributes = {}): string => {
  const all = { type: 'HKCorrelationTypeIdentifierFood', ...NOON, ...more }
  const attributes = Object.entries(all).map(([name, text]) => `${name}="${text}"`)
  return `<Correlation ${attributes.join(' ')}>${inside}</Correlation>`
}
const meals = async (...children: string[]) => {
  const read = await importBytes(exportXml(children.join('\n')))
  expect(accounted(read)).toBe(read.records)
  return { ...read, meals: read.summaries.filter(each => each.kind === 'meal').map(each => each.document) }
}
const JOINED = 'records of food joined into the meals that are stored'

const BANANA = [
  nutrient('EnergyConsumed', '105', 'kcal'),
  nutrient('Carbohydrates', '27', 'g'),
  nutrient('Protein', '1.3', 'g'),
  nutrient('Potassium', '422', 'mg'),
  nutrient('VitaminB12', '2.4', 'mcg'),
  nutrient('PantothenicAcid', '0.4', 'mg'),
  nutrient('Thiamin', '30', 'mcg'),
]
const BANANA_FIELDS = {
  energy: { unit: 'kcal', value: 105 },
  macros: { carbs: 27, protein: 1.3 },
  // in the units of the columns in queries: milligrams, and micrograms of vitamin B12
  micros: { minerals: { potassium: 422 }, vitamins: { vitamin_b12: 2.4, pantothenic_acid: 0.4, vitamin_b1: 0.03 } },
}

test('makes a meal from a food’s correlation, and counts no nutrient twice', async () => {
  const read = await meals(...BANANA, food(metadata('HKFoodType', 'Banana') + BANANA.join('')))
  expect(read.summaries).toMatchObject([
    { kind: 'meal', sourceType: 'app', date: '2026-01-01', offset: 3600, at: Date.UTC(2026, 0, 1, 11) },
  ])
  expect(read.meals).toEqual([
    {
      ...BANANA_FIELDS,
      timestamp: '2026-01-01T11:00:00+00:00',
      name: 'Banana',
      priority_id: 0,
      source_id: 0,
      provider_id: read.summaries[0]?.id,
    },
  ])
  expect(read.samples).toMatchObject([{ resource: 'carbohydrates', value: 27 }])
  expect([read.records, read.skipped]).toEqual([8, { [JOINED]: 6 }])
})

test('reads a correlation before the records that it repeats in the same way', async () => {
  const read = await meals(food(metadata('HKFoodType', 'Banana') + BANANA.join('')), ...BANANA)
  expect(read.meals).toMatchObject([{ ...BANANA_FIELDS, name: 'Banana' }])
})

test('adds up foods that a source recorded at the same time, and lists them by name', async () => {
  const banana = nutrient('EnergyConsumed', '105', 'kcal')
  const toast = nutrient('EnergyConsumed', '313.8', 'kJ')
  const read = await meals(
    banana + toast + toast,
    food(metadata('HKFoodType', 'Banana') + banana),
    food(metadata('HKFoodType', 'Toast') + toast),
    food(metadata('HKFoodType', 'Toast') + toast),
  )
  expect(read.meals).toMatchObject([
    {
      name: 'Banana, Toast',
      energy: { value: 255 },
      data: { Banana: { energy: { value: 105 } }, Toast: { energy: { value: 150 } } },
    },
  ])
  expect(read.skipped).toEqual({ [JOINED]: 5 })
})

test('makes a meal of nutrients without a correlation, if one app wrote them at the same time', async () => {
  const name = (text: string): string => text.replace('/>', `>${metadata('HKFoodType', 'Eggs')}</Record>`)
  const later = { startDate: '2026-01-01 18:00:00 +0100', endDate: '2026-01-01 18:00:00 +0100' }
  const read = await meals(
    name(nutrient('Protein', '20', 'g')),
    nutrient('FatTotal', '15', 'g'),
    nutrient('Protein', '30', 'g', later),
  )
  expect(read.meals).toMatchObject([
    { name: 'Eggs', macros: { protein: 20, fats: { total: 15 } } },
    { name: 'Meal', timestamp: '2026-01-01T17:00:00+00:00', macros: { protein: 30 } },
  ])
  expect(read.skipped).toEqual({ [JOINED]: 1 })
})

test('makes no meal of water, caffeine or carbohydrates alone', async () => {
  const read = await meals(
    nutrient('Water', '250', 'mL'),
    nutrient('Caffeine', '95', 'mg'),
    nutrient('Carbohydrates', '12', 'g'),
  )
  expect(read.meals).toEqual([])
  expect(read.samples.map(each => each.resource).sort()).toEqual(['caffeine', 'carbohydrates', 'water'])
})

test('keeps the larger of two sources’ meals at the same time', async () => {
  const other = { sourceName: 'Copy of the diary' }
  const read = await meals(
    nutrient('Protein', '20', 'g'),
    nutrient('Sugar', '3', 'g'),
    nutrient('Protein', '20', 'g', other),
  )
  expect(read.meals).toMatchObject([{ macros: { protein: 20, sugar: 3 } }])
  expect(read.skipped).toEqual({
    'records of a meal at the same time as a larger meal of another source': 1,
    [JOINED]: 1,
  })
  expect(JSON.stringify(read)).not.toMatch(/diary/i)
})

test('skips food in an unknown unit, without a time, or without a name and nutrients', async () => {
  const read = await meals(
    nutrient('Protein', '4711', 'parsec'),
    nutrient('Iron', '4711x', 'mg'),
    food(nutrient('Protein', '4711', 'parsec')),
    food(metadata('HKFoodType', 'Secret soup'), { startDate: 'noon' }),
    food(metadata('HKFoodType', 'Secret soup'), { startDate: '2026-03-01 12:00:00 +0100' }),
  )
  expect(read.meals).toEqual([])
  expect(Object.values(read.skipped)).toEqual([1, 1, 1, 1, 1])
  expect(JSON.stringify([read.skipped, read.places])).not.toMatch(/4711|secret/i)
})

test('counts the food at which a damaged file ends, and keeps what comes before it', async () => {
  const whole = exportXml([...BANANA, food(metadata('HKFoodType', 'Banana') + BANANA.join(''))].join(''))
  const read = await readDamaged(whole.slice(0, whole.lastIndexOf('</Correlation>')))
  expect(read.damage).toMatchObject({ code: 'invalid_file' })
  expect(read.summaries).toMatchObject([{ kind: 'meal', document: BANANA_FIELDS }])
  expect(read.skipped).toEqual({ 'a food is cut off': 1, [JOINED]: 5 })
  expect(accounted(read)).toBe(read.records)
})

test('yields the same meals when imported again', async () => {
  const bytes = exportXml([...BANANA, food(metadata('HKFoodType', 'Banana') + BANANA.join(''))].join(''))
  expect(await importBytes(bytes)).toEqual(await importBytes(bytes))
})
