/**
 * Collects an export's food records into meals. An export lists every nutrient of a food as a record of its own, and a Correlation lists
 * the nutrients of a food again, with the food's name. Some apps write no correlations.
 */
import { getOrInsert } from '../../../core/maps.ts'
import { present } from '../../../core/present.ts'
import { NO_OFFSET } from '../../../core/sample.ts'
import { type EpochMs, localDate } from '../../../core/time.ts'
import { roundAmount } from '../../shared/meal.ts'
import { mealSummary, type SummaryOrigin } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'
import type { XmlAttributes } from '../xml/attributes.ts'
import { SLOTS } from '../xml/names.ts'
import { CARBOHYDRATES, ENERGY, NUTRIENTS } from './nutrients.ts'
import type { SourceTypes } from './source.ts'
import type { TimeReader } from './time.ts'

/** Maximum number of meals and foods, enough for ten a day for 50 years. */
const MOST_FOODS = 200_000
const MOST_NAME_CHARACTERS = 200
const MOST_NAMES = 100
/** Maximum number of nutrients read in one food. */
const MOST_COPIES = 1000
const CARBS = NUTRIENTS.findIndex(([name]) => name === CARBOHYDRATES)

const JOINED = 'records of food joined into the meals that are stored'
const TOGETHER = 'records of a meal at the same time as a larger meal of another source'
const EMPTY = 'a food has neither a name nor a nutrient that can be read'
const TOO_MANY = `records of food after the first ${MOST_FOODS} meals and foods`

/** When and by which app a record was written, and what it names. The name of the app is not stored. */
export interface FoodRecord {
  readonly start: EpochMs
  readonly offset: number
  readonly sourceName: string
  readonly byte: number
  /** Empty if the record names no food or no meal, such as `Breakfast`. */
  foodName: string
  mealName: string
}

/** Amounts by index in `NUTRIENTS`, in kcal or grams. */
type Amounts = Map<number, number>

/** What one source recorded at one time. */
interface Meal {
  readonly start: EpochMs
  readonly offset: number
  /** Foods by name; empty for a food without one. */
  readonly foods: Map<string, Amounts>
  /** Sums and numbers of the records outside foods, without those that a food lists again. */
  readonly listed: Float64Array
  readonly counts: Int32Array
  /** Names of foods. */
  readonly names: Set<string>
  mealName: string
  /** Number of records that become part of this meal, without those that are also samples. */
  records: number
  /** Positions of the first two. */
  readonly bytes: number[]
}

/** A nutrient in a correlation. */
interface Copy {
  readonly at: FoodRecord
  readonly nutrient: number
  readonly value: number
}

/** Collects records until `finish` adds the meals. */
export class AppleMeals {
  private readonly meals = new Map<string, Meal>()
  private readonly importing: RecordImport
  private readonly sources: SourceTypes
  private readonly time: TimeReader
  private count = 0
  /** The correlation that is being read. */
  private food: { readonly at: FoodRecord; readonly copies: Copy[] } | undefined

  constructor(time: TimeReader, sources: SourceTypes, importing: RecordImport) {
    this.time = time
    this.sources = sources
    this.importing = importing
  }

  /** Adds a nutrient that the file lists on its own. One that is also a sample needs no further account. */
  list(at: FoodRecord, nutrient: number, value: number): void {
    const records = nutrient === CARBS ? 0 : 1
    const meal = this.mealAt(at)
    if (meal === undefined) this.skip(records, TOO_MANY, at.byte)
    else {
      addListed(meal, nutrient, value, 1)
      addNames(meal, at)
      countRecords(meal, records, at.byte)
    }
  }

  /** Starts a food's correlation. Returns false if it was skipped. */
  open(attributes: XmlAttributes): boolean {
    const { byte } = attributes
    const isTimed = this.time.read(attributes, attributes.at(SLOTS.startDate))
    const { ms: start, offset } = this.time
    const problem = isTimed ? this.importing.timesProblem(start, start) : 'has no valid start time'
    if (problem !== undefined) this.skip(1, `a food ${problem}`, byte)
    const sourceName = attributes.get('sourceName') ?? ''
    this.food = { at: { start, offset, sourceName, byte, foodName: '', mealName: '' }, copies: [] }
    return problem === undefined
  }

  /** Reads metadata of the open food. */
  addMetadata(attributes: XmlAttributes): void {
    if (this.food !== undefined) readFoodNames(this.food.at, attributes)
  }

  /** Adds a nutrient of the open food. */
  addToFood(attributes: XmlAttributes, nutrient: number, value: number): void {
    const { food } = this
    if (food === undefined || food.copies.length >= MOST_COPIES) return
    const isTimed = this.time.read(attributes, attributes.at(SLOTS.startDate))
    const start = isTimed ? this.time.ms : food.at.start
    const sourceName = attributes.get('sourceName') ?? food.at.sourceName
    food.copies.push({ at: { ...food.at, start, sourceName }, nutrient, value })
  }

  /** Ends the open food. */
  close(): void {
    const { food } = this
    this.food = undefined
    if (food === undefined) return
    const { at, copies } = food
    const { foodName, byte } = at
    const isEmpty = foodName === '' && copies.length === 0
    const meal = isEmpty ? undefined : this.mealAt(at)
    if (meal === undefined) {
      this.skip(1, isEmpty ? EMPTY : TOO_MANY, byte)
      return
    }
    countRecords(meal, 1, byte)
    addNames(meal, at)
    if (!meal.foods.has(foodName)) this.count++
    const amounts = getOrInsert(meal.foods, foodName, (): Amounts => new Map())
    for (const { at: own, nutrient, value } of copies) {
      amounts.set(nutrient, (amounts.get(nutrient) ?? 0) + value)
      // the file also lists the same record on its own, with the record's own time and source
      const listing = this.mealAt(own)
      if (listing !== undefined) addListed(listing, nutrient, -value, -1)
    }
  }

  /** Adds the meals. Two sources' meals at the same time have the same ID; the one with more records is kept. */
  finish(): void {
    const kept = new Map<EpochMs, Meal>()
    for (const meal of this.meals.values()) {
      if (!isMeal(meal)) this.skip(meal.records, JOINED, meal.bytes[0])
      else {
        const rival = kept.get(meal.start)
        const [more, less] = rival !== undefined && rival.records >= meal.records ? [rival, meal] : [meal, rival]
        kept.set(meal.start, more)
        if (less !== undefined) this.skip(less.records, TOGETHER, less.bytes[0])
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
    const date = localDate(start, offset)
    const origin: SummaryOrigin = { userId, provider, sourceType, recordId: [sourceType, start], date, offset }
    const total: Amounts = new Map()
    for (const [nutrient, value] of [...[...foods.values()].flatMap(each => [...each]), ...listedAlone(meal)]) {
      total.set(nutrient, (total.get(nutrient) ?? 0) + value)
    }
    const named = [...foods].filter(([name]) => name !== '')
    const data = Object.fromEntries(named.map(([name, amounts]) => [name, nutrientTree(amounts)]))
    const fields = { ...nutrientTree(total), data: named.length > 1 ? data : null }
    this.importing.addItem({ kind: 'summary', summary: mealSummary(origin, start, nameMeal(meal), fields) })
    this.skip(meal.records - 1, JOINED, meal.bytes[1])
  }

  private mealAt(at: FoodRecord): Meal | undefined {
    const key = mealKey(at)
    const known = this.meals.get(key)
    if (known !== undefined || this.count >= MOST_FOODS) return known
    this.count++
    const [listed, counts] = [new Float64Array(NUTRIENTS.length), new Int32Array(NUTRIENTS.length)]
    const { start, offset } = at
    const meal: Meal = {
      start,
      offset,
      foods: new Map(),
      listed,
      counts,
      names: new Set(),
      mealName: '',
      records: 0,
      bytes: [],
    }
    this.meals.set(key, meal)
    return meal
  }

  private skip(count: number, reason: string, byte: number | undefined): void {
    if (count > 0) this.importing.skip(reason, `byte ${byte}`, count)
  }
}

/** Reads the name of a food or of a meal from metadata. */
export function readFoodNames(into: FoodRecord, attributes: XmlAttributes): void {
  const key = attributes.get('key')
  if (key !== 'HKFoodType' && key !== 'HKFoodMeal') return
  const text = (attributes.get('value') ?? '').trim().slice(0, MOST_NAME_CHARACTERS)
  into[key === 'HKFoodType' ? 'foodName' : 'mealName'] = text
}

function mealKey({ start, sourceName }: FoodRecord): string {
  return `${start} ${sourceName}`
}

function countRecords(meal: Meal, records: number, byte: number): void {
  meal.records += records
  if (records > 0 && meal.bytes.length < 2) meal.bytes.push(byte)
}

function addListed({ listed, counts }: Meal, nutrient: number, value: number, count: 1 | -1): void {
  listed[nutrient] = (listed[nutrient] ?? 0) + value
  counts[nutrient] = (counts[nutrient] ?? 0) + count
}

function addNames(meal: Meal, { foodName, mealName }: FoodRecord): void {
  meal.mealName ||= mealName
  if (foodName !== '' && meal.names.size < MOST_NAMES) meal.names.add(foodName)
}

/** Returns whether there is more than what is stored as samples. */
function isMeal(meal: Meal): boolean {
  return meal.foods.size > 0 || listedAlone(meal).some(([nutrient]) => nutrient !== CARBS)
}

/** Returns the nutrients of records that no food contains. */
function listedAlone({ listed, counts }: Meal): [number, number][] {
  return [...counts].flatMap((count, i): [number, number][] => (count > 0 ? [[i, listed[i] ?? 0]] : []))
}

function nameMeal({ names, mealName }: Meal): string {
  return [...names].join(', ').slice(0, MOST_NAME_CHARACTERS) || mealName || 'Meal'
}

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

type Branch = Record<string, unknown>
