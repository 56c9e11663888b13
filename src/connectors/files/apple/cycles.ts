/** Collects an export's records about reproductive health into menstrual cycles. */
import { getOrInsert } from '../../../core/maps.ts'
import { NO_OFFSET } from '../../../core/sample.ts'
import { type EpochMs, type IsoDate, localDate, parseDate } from '../../../core/time.ts'
import { addDays, cycleBounds, menstrualCycleSummary } from '../../shared/menstrual-cycle.ts'
import type { RecordImport } from '../records/import.ts'
import { type CycleRule, FLOW, SEXUAL_ACTIVITY } from './cycle-types.ts'
import type { SourceTypes } from './source.ts'

const JOINED = 'records joined into the menstrual cycles that are stored'
const OUTSIDE = 'records outside the menstrual cycles that begin in the file'
const REPLACED = 'records of a menstrual cycle before the last one of their kind on a day'
const EACH_DAY = 'contraceptives, which are stored on each day of a menstrual cycle'

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
  /** Null if it needs no account of its own. */
  readonly byte: number | null
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * Collects entries until `finish` adds the cycles. People log some days on a watch and others on a phone or in an app, so the records of all
 * sources make one series of cycles.
 */
export class AppleCycles {
  /** Entries by list and date: there is at most one a day. */
  private readonly lists = new Map<string, Map<IsoDate, Entry>>()
  private readonly starts = new Set<IsoDate>()
  private readonly importing: RecordImport
  private readonly sources: SourceTypes
  /** Maximum number of days that get an entry of a longer record, because a hostile file must not exhaust time. */
  private mostDays = 100_000
  /** Local date of the export; undefined if the file does not contain it. */
  exportDate: IsoDate | undefined

  constructor(sources: SourceTypes, importing: RecordImport) {
    this.sources = sources
    this.importing = importing
  }

  add({ list, field, value, days }: CycleRule, { start, end, offset, endOffset, byte, type, flag }: CycleRecord): void {
    const [first, last] = [dateOf(start, offset), dateOf(end, endOffset)]
    const said = list === SEXUAL_ACTIVITY ? flag : (value ?? type)
    const fields = field === null ? {} : { [field]: said }
    if (list === FLOW && flag === true) this.starts.add(first)
    if (days !== 'each') this.addEntry(list, days === 'last' ? last : first, { at: start, byte, fields })
    else {
      // it may last for years, and its end may be in the future
      const known = this.exportDate ?? first
      for (let day = first; day <= last && day <= known && this.mostDays-- > 0; day = addDays(day, 1)) {
        this.addEntry(list, day, { at: start, byte: null, fields })
      }
      this.skip(EACH_DAY, byte)
    }
  }

  /** Adds a basal body temperature in °C, which is also a sample. */
  addTemperature({ start, offset, value }: { readonly value: number } & Pick<CycleRecord, 'start' | 'offset'>): void {
    this.addEntry('basal_body_temperature', dateOf(start, offset), { at: start, byte: null, fields: { value } })
  }

  /** Adds the cycles. The file says where each one begins; a first day right after a day of bleeding belongs to the same period. */
  finish(): void {
    const { lists, starts } = this
    const flow = lists.get(FLOW)
    const firsts = [...starts].filter(date => !isBleeding(flow?.get(addDays(date, -1)))).sort()
    for (const [i, first] of firsts.entries()) this.addCycle(first, firsts[i + 1])
    for (const entries of lists.values()) for (const { byte } of entries.values()) this.skip(OUTSIDE, byte)
    lists.clear()
    starts.clear()
  }

  /** Moves the entries of a cycle into its summary. */
  private addCycle(first: IsoDate, next: IsoDate | undefined): void {
    const { userId } = this.importing.context
    const { provider, merged: sourceType } = this.sources
    const bounds = cycleBounds(first, next)
    const found: Record<string, object[]> = {}
    const bytes: number[] = []
    let bleeding = first
    for (let date = first; date <= bounds.last; date = addDays(date, 1)) {
      for (const [list, entries] of this.lists) {
        const entry = entries.get(date)
        if (entry === undefined) continue
        entries.delete(date)
        found[list] = [...(found[list] ?? []), { ...entry.fields, date }]
        if (entry.byte !== null) bytes.push(entry.byte)
        if (list === FLOW && isBleeding(entry)) bleeding = date
      }
    }
    const isOver = bounds.cycleEnd !== null || bleeding < addDays(this.exportDate ?? first, -1)
    const period = { start: first, end: isOver ? bleeding : null }
    const origin = { userId, provider, sourceType, recordId: [sourceType, first], date: first, offset: null }
    const summary = menstrualCycleSummary(origin, parseDate(first) ?? 0, period, bounds, found)
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

function isBleeding(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.fields['flow'] !== 'none'
}

function dateOf(at: EpochMs, offset: number): IsoDate {
  return localDate(at, offset === NO_OFFSET ? null : offset)
}
