/** Reads the fields of an item one by one and collects their problems. */
import { didYouMean } from '../../../core/errors.ts'
import { parseDate, parseDateTime } from '../../../core/time.ts'
import { instantIn, type RecordTime } from '../../shared/record-time.ts'
import type { ItemIssue, ItemReading } from './item.ts'

/** Maximum length of an ID or a name. A note may be longer. */
const NAME_CHARACTERS = 256
const PROVIDER = /^[a-z0-9_]{1,64}$/
/** Maximum offset. No time zone has ever been further from UTC. */
const MOST_OFFSET_SECONDS = 18 * 3600

/** An instant, with its local time if known. */
export interface ItemTime extends RecordTime {
  /** Whether digits below a millisecond were dropped. */
  readonly truncated: boolean
}

/** Reads fields. An absent or null field returns null. An invalid field adds an issue, and its return value must not be used. */
export class Fields {
  readonly issues: ItemIssue[] = []
  private readonly item: Readonly<Record<string, unknown>>

  constructor(item: Readonly<Record<string, unknown>>) {
    this.item = item
  }

  wrong(field: string, msg: string, type: string): void {
    this.issues.push({ path: [field], msg, type })
  }

  has(field: string): boolean {
    return this.raw(field) !== null
  }

  /** Returns whether the field is present, even as null. */
  isGiven(field: string): boolean {
    return this.item[field] !== undefined
  }

  /** Returns a field's value unchanged. */
  raw(field: string): unknown {
    return this.item[field] ?? null
  }

  text(field: string, mostCharacters = NAME_CHARACTERS): string | null {
    const value = this.raw(field)
    if (value === null) return null
    if (typeof value !== 'string') this.wrong(field, 'must be a string', 'string_type')
    else if (value.length > mostCharacters)
      this.wrong(field, `must be at most ${mostCharacters} characters long`, 'string_too_long')
    else return value
    return null
  }

  required(field: string): string {
    const text = this.text(field)
    if (text !== null && text !== '') return text
    if (!this.has(field)) this.wrong(field, 'Field required', 'missing')
    else if (text === '') this.wrong(field, 'must not be empty', 'string_too_short')
    return ''
  }

  number(field: string): number {
    const value = this.raw(field)
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (value === null) this.wrong(field, 'Field required', 'missing')
    else if (typeof value === 'number') this.wrong(field, 'must be a finite number', 'finite_number')
    else this.wrong(field, 'must be a number', 'number_type')
    return 0
  }

  /** Refuses unknown field names, because the data in a misspelt field would be lost silently. */
  refuseOthers(allowed: ReadonlySet<string>): void {
    for (const name in this.item) {
      if (allowed.has(name)) continue
      // a long name could contain a value
      const shown = /^\w{1,40}$/.test(name) ? name : 'a field of that name'
      this.issues.push({
        path: [],
        msg: `does not accept ${shown}.${didYouMean(name, allowed)}`,
        type: 'extra_forbidden',
      })
    }
  }

  source(reading: ItemReading): { readonly provider: string; readonly sourceType: string } {
    const provider = this.text('provider') ?? reading.provider
    const sourceType = this.text('source_type') ?? reading.sourceType
    if (!PROVIDER.test(provider)) this.wrong('provider', 'must be the slug of a provider', 'value_error')
    if (!PROVIDER.test(sourceType)) this.wrong('source_type', 'must be a source type such as watch', 'value_error')
    return { provider, sourceType }
  }

  /**
   * Reads a time. `timezone_offset` takes precedence over the offset in the text, because the service itself writes instants with `+00:00`,
   * and the local offset in a separate field. A null `timezone_offset` means that the offset is unknown.
   */
  time(field: string, zone: string | null): ItemTime | null {
    const text = this.text(field)
    if (text === null) return null
    const parsed = parseDateTime(text)
    if (parsed === undefined) {
      this.wrong(field, 'must be an ISO 8601 date-time such as 2026-11-20T08:30:00+01:00', 'datetime_parsing')
      return null
    }
    const { ms, offset } = instantIn(parsed, zone, this.offset())
    return { ms, offset, truncated: parsed.truncated }
  }

  /** Reads `timezone_offset`: seconds, null for unknown, undefined if absent. */
  offset(): number | null | undefined {
    const value = this.item['timezone_offset']
    if (value === null || value === undefined) return value
    if (Number.isInteger(value) && Math.abs(value as number) <= MOST_OFFSET_SECONDS) return value as number
    if (!this.issues.some(issue => issue.path[0] === 'timezone_offset')) {
      this.wrong('timezone_offset', 'must be an integer number of seconds east of UTC, at most 18 hours', 'int_type')
    }
    return null
  }

  date(field: string): string | null {
    const text = this.text(field)
    if (text !== null && parseDate(text) === undefined) {
      this.wrong(field, 'must be a date, YYYY-MM-DD', 'date_from_datetime_parsing')
    }
    return text
  }
}
