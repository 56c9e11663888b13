/**
 * Collects an export's food records into meals. An export lists every nutrient of a food as a record of its own, and a Correlation lists
 * the nutrients of a food again, with the food's name. Some apps write no correlations.
 */
import { getOrInsert } from '../../../core/maps.ts'
import { present } from '../../../core/present.ts'
import { NO_OFFSET } from '../../../core/sample.ts'
import { type EpochMs, localDate } from '../../../core/time.ts'
import { roundAmount } from '../../shared/meal.ts'
import { mealSummary } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'
import type { XmlAttributes } from '../xml/attributes.ts'
import { SLOTS } from '../xml/names.ts'
import { CARBOHYDRATES, ENERGY, NUTRIENTS } from './nutrients.ts'
import type { SourceTypes } from './source.ts'
import type { TimeReader } from './time.ts'

/** Maximum number of meals and foods, enough for ten a day for 50 years. */
const MOST_FOODS = 200_000
const MOST_NAME_CHARACTERS = 200
const CARBS = NUTRIENTS.findIndex(([name]) => name === CARBOHYDRATES)

const JOINED = 'records of food joined into the meals that are stored'
const TOGETHER = 'records of a meal at the same time as a larger meal of another source'
const TOO_MANY = `records of food after the first ${MOST_FOODS} meals and foods`

/** When and by which app a record was written. The name of the app is not stored. */
interface FoodSource {
  readonly start: EpochMs
  readonly offset: number
  readonly sourceName: string
}

export interface FoodRecord extends FoodSource {
  readonly byte: number
  /** Empty if the record names no food. */
  foodName: string
}

/** Amounts by index in `NUTRIENTS`, in kcal or grams. */
type Amounts = Map<number, number>

/** What one source recorded at one time. */
interface Meal {
  readonly start: EpochMs
  readonly offset: number
  /** Nutrients in correlations by food, which may have no name. */
  readonly foods: Map<string, Amounts>
  /** Sums and numbers of the records on their own, less those that a correlation repeats. */
  readonly listed: Float64Array
  readonly counts: Int32Array
  /** Number of records that become part of this meal, without those that are also samples, and the positions of the first two. */
  records: number
  readonly bytes: number[]
}

/** Collects records until `finish` adds the meals. */
export class AppleMeals {
  private readonly meals = new Map<string, Meal>()
  private readonly importing: RecordImport
  private readonly sources: SourceTypes
  private readonly time: TimeReader
  private count = 0
  /** The open correlation, and its nutrients by index. */
  private food: { readonly at: FoodRecord; readonly nutrients: Map<number, FoodSource & { value: number }> } | undefined

  constructor(time: TimeReader, sources: SourceTypes, importing: RecordImport) {
    this.time = time
    this.sources = sources
    this.importing = importing
  }

  /** Adds a nutrient that the file lists on its own. One that is also a sample needs no further account. */
  list(at: FoodRecord, nutrient: number, value: number): void {
    const meal = this.mealAt(at, nutrient === CARBS ? undefined : at.byte)
    if (meal === undefined) return
    addListed(meal, nutrient, value, 1)
    if (at.foodName !== '') this.foodIn(meal, at.foodName)
  }

  /** Starts a food's correlation. Returns false if it was skipped. */
  open(attributes: XmlAttributes): boolean {
    const { byte } = attributes
    const isTimed = this.time.read(attributes, attributes.at(SLOTS.startDate))
    const { ms: start, offset } = this.time
    const problem = isTimed ? this.importing.timesProblem(start, start) : 'has no valid start time'
    if (problem !== undefined) this.skip(`a food ${problem}`, byte)
    const sourceName = attributes.get('sourceName') ?? ''
    this.food = { at: { start, offset, sourceName, byte, foodName: '' }, nutrients: new Map() }
    return problem === undefined
  }

  /** Reads metadata of the open food. */
  addMetadata(attributes: XmlAttributes): void {
    if (this.food !== undefined) readFoodName(this.food.at, attributes)
  }

  /** Adds a nutrient of the open food. */
  addToFood(attributes: XmlAttributes, nutrient: number, value: number): void {
    if (this.food === undefined) return
    const { at, nutrients } = this.food
    const start = this.time.read(attributes, attributes.at(SLOTS.startDate)) ? this.time.ms : at.start
    const { offset } = at
    nutrients.set(nutrient, { start, offset, sourceName: attributes.get('sourceName') ?? at.sourceName, value })
  }

  /** Ends the open food. */
  close(): void {
    const { food } = this
    this.food = undefined
    if (food === undefined) return
    const { at, nutrients } = food
    if (nutrients.size === 0) return void this.skip('a food has no nutrient that can be read', at.byte)
    const meal = this.mealAt(at, at.byte)
    const amounts = meal && this.foodIn(meal, at.foodName)
    for (const [nutrient, { value, ...own }] of nutrients) {
      amounts?.set(nutrient, (amounts.get(nutrient) ?? 0) + value)
      // the file also lists the same record on its own, with the record's own time and source
      const listing = amounts && this.mealAt(own)
      if (listing !== undefined) addListed(listing, nutrient, -value, -1)
    }
  }

  /** Adds the meals. Two sources' meals at the same time have the same ID; the one with more records is kept. */
  finish(): void {
    const kept = new Map<EpochMs, Meal>()
    for (const meal of this.meals.values()) {
      const rival = kept.get(meal.start)
      const isSmaller = rival !== undefined && rival.records >= meal.records
      if (!isMeal(meal)) this.skip(JOINED, meal.bytes[0], meal.records)
      else if (isSmaller) this.skip(TOGETHER, meal.bytes[0], meal.records)
      else {
        if (rival !== undefined) this.skip(TOGETHER, rival.bytes[0], rival.records)
        kept.set(meal.start, meal)
      }
    }
    this.meals.clear()
    for (const meal of [...kept.values()].sort((a, b) => a.start - b.start)) this.add(meal)
  }

  private add(meal: Meal): void {
    const { start, foods } = meal
    const { provider, typedIn: sourceType } = this.sources
    const offset = meal.offset === NO_OFFSET ? null : meal.offset
    const { userId } = this.importing.context
    const origin = {
      userId,
      provider,
      sourceType,
      recordId: [sourceType, start],
      date: localDate(start, offset),
      offset,
    }
    const total: Amounts = new Map()
    for (const [nutrient, value] of [...[...foods.values()].flatMap(each => [...each]), ...listedAlone(meal)]) {
      total.set(nutrient, (total.get(nutrient) ?? 0) + value)
    }
    const named = [...foods].filter(([name]) => name !== '')
    const data = Object.fromEntries(named.map(([name, amounts]) => [name, nutrientTree(amounts)]))
    const name =
      named
        .map(([each]) => each)
        .join(', ')
        .slice(0, MOST_NAME_CHARACTERS) || 'Meal'
    const fields = { ...nutrientTree(total), data: named.length > 1 ? data : null }
    this.importing.addItem({ kind: 'summary', summary: mealSummary(origin, start, name, fields) })
    this.skip(JOINED, meal.bytes[1], meal.records - 1)
  }

  /** Returns the meal of a record; undefined if there are too many. `byte` is the position of a record that the meal accounts for. */
  private mealAt({ start, offset, sourceName }: FoodSource, byte?: number): Meal | undefined {
    const key = `${start} ${sourceName}`
    let meal = this.meals.get(key)
    if (meal === undefined && this.count < MOST_FOODS) {
      this.count++
      const [listed, counts] = [new Float64Array(NUTRIENTS.length), new Int32Array(NUTRIENTS.length)]
      meal = { start, offset, foods: new Map(), listed, counts, records: 0, bytes: [] }
      this.meals.set(key, meal)
    }
    if (meal === undefined) this.skip(TOO_MANY, byte)
    else if (byte !== undefined && ++meal.records <= 2) meal.bytes.push(byte)
    return meal
  }

  private foodIn({ foods }: Meal, name: string): Amounts {
    if (!foods.has(name) && ++this.count > MOST_FOODS) return new Map()
    return getOrInsert(foods, name, () => new Map())
  }

  private skip(reason: string, byte: number | undefined, count = 1): void {
    if (byte !== undefined) this.importing.skip(reason, `byte ${byte}`, count)
  }
}

/** Reads the name of a food from metadata. */
export function readFoodName(into: FoodRecord, attributes: XmlAttributes): void {
  if (attributes.get('key') !== 'HKFoodType') return
  into.foodName = (attributes.get('value') ?? '').trim().slice(0, MOST_NAME_CHARACTERS)
}

function addListed({ listed, counts }: Meal, nutrient: number, value: number, count: 1 | -1): void {
  listed[nutrient] = (listed[nutrient] ?? 0) + value
  counts[nutrient] = (counts[nutrient] ?? 0) + count
}

/** Returns whether there is more than what is stored as samples. */
function isMeal(meal: Meal): boolean {
  return [...meal.foods.values()].some(({ size }) => size > 0) || listedAlone(meal).some(([index]) => index !== CARBS)
}

/** Returns the nutrients of records that no correlation repeats. */
function listedAlone({ listed, counts }: Meal): [number, number][] {
  return [...counts].flatMap((count, i): [number, number][] => (count > 0 ? [[i, listed[i] ?? 0]] : []))
}

type Branch = Record<string, unknown>

/** Returns amounts as a meal's fields `energy`, `macros` and `micros`. */
function nutrientTree(amounts: Amounts): Branch {
  const tree: Branch = {}
  for (const [nutrient, value] of amounts) {
    const [, path, scale] = present(NUTRIENTS[nutrient], 'a nutrient')
    const names = path.split('.')
    const leaf = names.pop() ?? ''
    let branch = tree
    for (const name of names) {
      branch[name] ??= {}
      branch = branch[name] as Branch
    }
    branch[leaf] = roundAmount(value * scale)
    if (path === ENERGY) branch['unit'] = 'kcal'
  }
  return tree
}
