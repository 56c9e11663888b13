/** Collects an export's records about reproductive health into menstrual cycles. */
import { getOrInsert } from '../../../core/maps.ts'
import { NO_OFFSET } from '../../../core/sample.ts'
import { type EpochMs, type IsoDate, localDate, parseDate } from '../../../core/time.ts'
import { addDays, type CycleEntry, cycleBounds, menstrualCycleSummary } from '../../shared/menstrual-cycle.ts'
import type { RecordImport } from '../records/import.ts'
import { type CycleRule, FLOW, SEXUAL_ACTIVITY } from './cycle-types.ts'
import type { SourceTypes } from './source.ts'

const JOINED = 'records joined into the menstrual cycles that are stored'
const OUTSIDE = 'records outside the menstrual cycles that begin in the file'
const REPLACED = 'records of a menstrual cycle before the last one of their kind on a day'
/** Maximum number of records whose days all get an entry. A hostile file must not exhaust time. */
const MOST_INTERVALS = 1000
const TOO_MANY = `records of contraceptives after the first ${MOST_INTERVALS}`
const TEMPERATURE = 'basal_body_temperature'

/** A record, whose times are on the person's clock. */
export interface CycleRecord {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly offset: number
  readonly endOffset: number
  readonly byte: number
  /** The category's value. */
  readonly type: string | null
  /** Whether it begins a cycle, or whether protection was used; null if the record does not say so. */
  flag: boolean | null
}

interface Entry {
  readonly at: EpochMs
  /** Null for a value that is also a sample and needs no further account. */
  readonly byte: number | null
  readonly fields: Fields
}

/** A record whose days all get an entry. */
interface Interval {
  readonly first: IsoDate
  readonly last: IsoDate
  readonly list: string
  readonly byte: number
  readonly fields: Fields
  isStored: boolean
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Collects entries until `finish` adds the cycles. People log some days on a watch and others on a phone or in an app, so the records of all
 * sources make one series of cycles.
 */
export class AppleCycles {
  /** Entries by list and date: there is at most one a day. */
  private readonly lists = new Map<string, Map<IsoDate, Entry>>()
  private readonly intervals: Interval[] = []
  private readonly starts = new Set<IsoDate>()
  private readonly importing: RecordImport
  private readonly sources: SourceTypes
  /** Local date of the export; undefined if the file does not contain it. */
  exportDate: IsoDate | undefined

  constructor(sources: SourceTypes, importing: RecordImport) {
    this.sources = sources
    this.importing = importing
  }

  add({ list, field, value, days }: CycleRule, record: CycleRecord): void {
    const { start, end, byte, type, flag } = record
    const [first, last] = [dateOf(start, record.offset), dateOf(end, record.endOffset)]
    const said = list === SEXUAL_ACTIVITY ? flag : (value ?? type)
    const fields = field === null ? {} : { [field]: said }
    if (days !== 'each') this.addEntry(list, days === 'first' ? first : last, { at: start, byte, fields })
    else if (this.intervals.length >= MOST_INTERVALS) this.skip(TOO_MANY, byte)
    else this.intervals.push({ first, last, list, byte, fields, isStored: false })
    if (list === FLOW && flag === true) this.starts.add(first)
  }

  /** Adds a basal body temperature in °C, which is also a sample. */
  addTemperature({ start, offset, value }: { readonly value: number } & Pick<CycleRecord, 'start' | 'offset'>): void {
    this.addEntry(TEMPERATURE, dateOf(start, offset), { at: start, byte: null, fields: { value } })
  }

  /** Adds the cycles. The file says where each one begins; a first day right after a day of bleeding belongs to the same period. */
  finish(): void {
    const { lists, intervals, starts } = this
    const flow = lists.get(FLOW)
    const firsts = [...starts].filter(date => !isBleeding(flow?.get(addDays(date, -1))?.fields)).sort()
    const dates = [...lists.values()].flatMap(entries => [...entries.keys()])
    const known = this.exportDate ?? dates.reduce((latest, each) => (each > latest ? each : latest), '')
    for (const [i, first] of firsts.entries()) this.addCycle(first, firsts[i + 1], known)
    for (const entries of lists.values()) for (const { byte } of entries.values()) this.skip(OUTSIDE, byte)
    for (const { byte, isStored } of intervals.splice(0)) this.skip(isStored ? JOINED : OUTSIDE, byte)
    lists.clear()
    starts.clear()
  }

  /** Moves the entries of a cycle into its summary. `known` is the last day about which the file says something. */
  private addCycle(first: IsoDate, next: IsoDate | undefined, known: IsoDate): void {
    const { userId } = this.importing.context
    const { provider, merged: sourceType } = this.sources
    const bounds = cycleBounds(first, next)
    const days = new Map<string, Map<IsoDate, CycleEntry>>()
    const put = (list: string, date: IsoDate, fields: Fields): void => {
      getOrInsert(days, list, () => new Map()).set(date, { ...fields, date })
    }
    const bytes: number[] = []
    for (let date = first; date <= bounds.last; date = addDays(date, 1)) {
      for (const [list, entries] of this.lists) {
        const entry = entries.get(date)
        if (entry === undefined) continue
        entries.delete(date)
        put(list, date, entry.fields)
        if (entry.byte !== null) bytes.push(entry.byte)
      }
    }
    for (const each of this.intervals) {
      const from = each.first > first ? each.first : first
      for (let date = from; date <= bounds.last && date <= each.last && date <= known; date = addDays(date, 1)) {
        put(each.list, date, each.fields)
        each.isStored = true
      }
    }
    const bleeding = [...(days.get(FLOW)?.values() ?? [])].filter(isBleeding).at(-1)?.date ?? null
    const isOver = bounds.cycleEnd !== null || (bleeding !== null && bleeding < addDays(known, -1))
    const period = { start: first, end: isOver ? bleeding : null }
    const lists = Object.fromEntries([...days].map(([list, entries]) => [list, [...entries.values()]]))
    const origin = { userId, provider, sourceType, recordId: [sourceType, first], date: first, offset: null }
    const summary = menstrualCycleSummary(origin, parseDate(first) ?? 0, period, bounds, lists)
    this.importing.addItem({ kind: 'summary', summary })
    for (const byte of bytes.sort((a, b) => a - b).slice(1)) this.skip(JOINED, byte)
  }

  private addEntry(list: string, date: IsoDate, entry: Entry): void {
    const entries = getOrInsert(this.lists, list, () => new Map())
    const known = entries.get(date)
    const [kept, other] = known !== undefined && known.at > entry.at ? [known, entry] : [entry, known]
    entries.set(date, kept)
    if (other !== undefined) this.skip(REPLACED, other.byte)
  }

  private skip(reason: string, byte: number | null): void {
    if (byte !== null) this.importing.skip(reason, `byte ${byte}`)
  }
}

function isBleeding(fields: Fields | undefined): boolean {
  return fields !== undefined && fields['flow'] !== 'none'
}

function dateOf(at: EpochMs, offset: number): IsoDate {
  return localDate(at, offset === NO_OFFSET ? null : offset)
}
