/** Lists the changes of a dry run, field by field. Only one page of them is in memory, however many there are. */
import { resourceNamed } from '../../../catalogue/resources.ts'
import type { ReplyBody } from '../../../contract/kernel/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import {
  NO_OFFSET,
  type SampleColumns,
  type SeriesKey,
  startAt,
  type TextColumn,
  textAt,
} from '../../../core/sample.ts'
import { type EpochMs, formatInstant, localDate } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { RemapListener, StreamVersion, SummaryVersion } from '../../../store/remap.ts'
import type { UserRecord } from '../../../store/user.ts'
import { differences, type FieldChange } from './differences.ts'

export type Change = ReplyBody<Operations['import.remap']>['changes'][number]
type Kind = Change['change']

/** Changes of several users, one after the other. */
export class ChangeList {
  readonly page: Change[] = []
  total = 0
  private readonly skip: number
  private readonly limit: number

  /** The page begins after `skip` changes. */
  constructor({ skip, limit }: { readonly skip: number; readonly limit: number }) {
    this.skip = skip
    this.limit = limit
  }

  /** Number of changes before the next page, or null if this page is the last one. */
  get next(): number | null {
    const end = this.skip + this.page.length
    return end < this.total ? end : null
  }

  /** Returns the listener for one user's changes, which come after those that are in the list. */
  of(user: UserRecord): RemapListener {
    return new UserChanges(this, user)
  }

  /** Counts a change, and builds it only if it is on the page. */
  add(build: () => Change): void {
    const isWanted = this.total >= this.skip && this.page.length < this.limit
    this.total++
    if (isWanted) this.page.push(build())
  }

  /** Whether further changes are only counted. */
  get isFull(): boolean {
    return this.page.length === this.limit
  }

  /** Counts changes after the page. */
  count(n: number): void {
    this.total += n
  }

  /** Removes the changes after the first ones. */
  returnTo(total: number): void {
    this.total = total
    this.page.length = Math.min(this.page.length, Math.max(0, total - this.skip))
  }
}

class UserChanges implements RemapListener {
  private readonly list: ChangeList
  private readonly user: UserRecord
  private readonly before: number

  constructor(list: ChangeList, user: UserRecord) {
    this.list = list
    this.user = user
    this.before = list.total
  }

  begin(): void {
    this.list.returnTo(this.before)
  }

  samples(series: SeriesKey, before: SampleColumns | null, after: SampleColumns | null): void {
    const columns = after ?? before
    for (let row = 0; row < (columns?.n ?? 0); row++) {
      if (!columns) continue
      // millions of samples may follow the page
      if (this.list.isFull && !(before && after)) {
        this.list.count(valuesIn(columns, row))
        return
      }
      this.sample(series, columns, { before, after, row })
    }
  }

  summary(kind: string, before: SummaryVersion | null, after: SummaryVersion | null): void {
    const row = after ?? before
    if (!row) return
    const fields = differences(contentOf(before), contentOf(after))
    this.fields(fields, kindOf(before, after), {
      ...{ resource: kind, day: row.date, provider: row.provider, source_type: row.source_type },
      ...{ start: null, id: row.id, unit: null },
    })
  }

  stream(before: StreamVersion | null, after: StreamVersion | null, at: EpochMs): void {
    const row = after ?? before
    if (!row) return
    this.fields([{ field: 'points', old: before?.n ?? null, new: after?.n ?? null }], kindOf(before, after), {
      ...{ resource: 'workout_stream', day: localDate(at, this.offsetAt(at)), provider: row.provider },
      ...{ source_type: row.source_type, start: null, id: row.workout_id, unit: null },
    })
  }

  private sample(
    series: SeriesKey,
    columns: SampleColumns,
    {
      before,
      after,
      row,
    }: { readonly before: SampleColumns | null; readonly after: SampleColumns | null; readonly row: number },
  ): void {
    const { resource, provider, sourceType: source_type } = series
    const start = startAt(columns, row)
    const fields = sampleFields(resource, before, after, row)
    const { unit = null } = resourceNamed(resource) ?? {}
    for (const each of fields) {
      this.list.add(() => ({
        ...this.owner,
        ...{ resource, day: this.dayOf(columns, row), change: kindOf(before, after), provider, source_type },
        ...{ start: formatInstant(start), id: null, ...each, unit: each.field === 'value' ? unit : null },
      }))
    }
  }

  private fields(
    fields: readonly FieldChange[],
    change: Kind,
    rest: Omit<Change, keyof FieldChange | 'change' | 'user_id' | 'client_user_id'>,
  ): void {
    for (const each of fields) this.list.add(() => ({ ...this.owner, ...rest, change, ...each }))
  }

  private get owner(): Pick<Change, 'user_id' | 'client_user_id'> {
    return { user_id: this.user.userId, client_user_id: this.user.clientUserId }
  }

  private dayOf(columns: SampleColumns, row: number): string {
    const start = startAt(columns, row)
    const own = columns.offset?.[row] ?? NO_OFFSET
    return localDate(start, own === NO_OFFSET ? this.offsetAt(start) : own)
  }

  /** Returns the offset of the user's zone in seconds; 0 if it is unknown. */
  private offsetAt(time: EpochMs): number {
    const zone = this.user.fallbackTimeZone?.value
    return zone === undefined ? 0 : zoneOffset(zone, time)
  }
}

function kindOf(before: unknown, after: unknown): Kind {
  return before && after ? 'changed' : after ? 'added' : 'removed'
}

/** Returns a summary's content: its document, and the columns that are not in it. */
function contentOf(row: SummaryVersion | null): Readonly<Record<string, unknown>> | null {
  if (!row) return null
  // written by the store
  return { at: formatInstant(row.at), date: row.date, ...(JSON.parse(row.document) as Record<string, unknown>) }
}

/** The texts that are part of a sample's content. The others identify what it comes from, and so do not differ. */
const CONTENT: readonly TextColumn[] = [
  ...(['type', 'intensity', 'sensor_location', 'delivery_mode', 'delivery_form', 'bolus_purpose'] as const),
  ...(['tags', 'content', 'workout_id', 'sport'] as const),
]

function sampleFields(
  resource: string,
  before: SampleColumns | null,
  after: SampleColumns | null,
  row: number,
): FieldChange[] {
  const of = (columns: SampleColumns | null) => (columns ? fieldsOf(resource, columns, row) : null)
  const all = differences(of(before), of(after))
  return before && after ? all : all.filter(({ field }) => VALUES.includes(field))
}

/** Returns the number of values of a series' samples from a row on. */
function valuesIn({ n, second }: SampleColumns, from: number): number {
  const seconds = second?.subarray(from).filter(each => !Number.isNaN(each)).length ?? 0
  return n - from + seconds
}

/** The fields that are listed of a sample that is added or removed. */
const VALUES: readonly string[] = ['value', 'second_value', 'content']

function fieldsOf(resource: string, columns: SampleColumns, row: number): Record<string, unknown> {
  const start = startAt(columns, row)
  const end = columns.end?.[row] ?? start
  const offset = columns.offset?.[row] ?? NO_OFFSET
  const second = columns.second?.[row] ?? Number.NaN
  const isNote = resource === 'note'
  return {
    ...(isNote ? {} : { value: columns.value[row] }),
    ...(Number.isNaN(second) ? {} : { second_value: second }),
    ...(end === start ? {} : { end: formatInstant(end) }),
    ...(offset === NO_OFFSET ? {} : { timezone_offset_seconds: offset }),
    ...Object.fromEntries(
      CONTENT.flatMap(name => {
        const text = textAt(columns.text.get(name), row)
        return text === null ? [] : [[name, text]]
      }),
    ),
  }
}
