/** Tells whether the rows of a table are about several people. Nothing in a row would keep their samples apart. */
import { ServiceError } from '../../../core/errors.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { shown } from './mapping.ts'
import { SharedTimes } from './shared-times.ts'

/** What a row says about whose it is. */
export interface RowIdentity {
  /** The cells of the columns that could name a person, with the names of the columns. */
  readonly people: readonly (readonly [column: string, text: string])[]
  /** What decides under which key the row is stored, such as its time; '' if it has none. */
  readonly key: string
  /** What the row says under that key; '' if it says nothing. */
  readonly reading: string
}

const PERSON =
  /^(?:user|participant|patient|person|athlete|respondent|proband|teilnehmer|benutzer|nutzer|patienten|usuario|utilisateur|paciente)(?:id|ids|name|number|no|nr|code|key|uid|uuid|guid|email)?$|^(?:subjectid|memberid|clientid|clientuserid|customerid|profileid|accountid|usubjid|subjid|ptid|mrn|email|emailaddress)$/
/** Names that rows, too, can have as their own number or text. They name people only if their values repeat. */
const PERHAPS_PERSON = /^(?:id|uid|pid|subject|member|client|customer|profile|account|owner)$/

/** Returns whether a column of this name could say whose a row is. */
export function mayNamePerson(column: string): boolean {
  const plain = plainName(column)
  return PERSON.test(plain) || PERHAPS_PERSON.test(plain)
}

const plainName = (column: string): string => column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Maximum number of values of one column that are remembered, and of columns. */
const MOST_VALUES = 10_000
const MOST_COLUMNS = 20
const MOST_CHARACTERS = 256
/** Values of an ambiguous column name people if each one is in at least this many rows, on average. */
const ROWS_OF_PERSON = 2
/** Share of rows at one time with other values, from which on they also do in a table that is too short for the rule above. */
const SHARED_TIMES = 0.5

/** What is known about one column that could name people. */
interface Column {
  readonly isCertain: boolean
  readonly values: Set<string>
  rows: number
  /** The first place with a second value. */
  second: string | null
  /** Whether there were more values than are remembered, so that the others were not counted. */
  isFull: boolean
}

/** `see` every row, then `check`. The memory is bounded, whatever the file holds. */
export class PeopleEvidence {
  private readonly columns = new Map<string, Column>()
  private readonly times = new SharedTimes()

  see({ people, key, reading }: RowIdentity, place: string): void {
    for (const [name, text] of people) this.seeColumn(name, text.trim(), place)
    if (key !== '' && reading !== '') this.times.see(key, reading, place)
  }

  /** Throws ServiceError `invalid_file` if the rows are about several people, or would replace each other. */
  check(): void {
    const sharesTimes = this.times.share() >= SHARED_TIMES
    for (const [name, column] of this.columns) if (namesPeople(column, sharesTimes)) throw severalPeople(name, column)
    const shared = this.times.shared()
    if (shared !== null) throw sharedTimes(shared.percent, shared.place)
  }

  private seeColumn(name: string, text: string, place: string): void {
    if (text === '' || (this.columns.size >= MOST_COLUMNS && !this.columns.has(name))) return
    const column = getOrInsert(this.columns, name, () => ({
      isCertain: PERSON.test(plainName(name)),
      values: new Set<string>(),
      rows: 0,
      second: null,
      isFull: false,
    }))
    // what is beyond the limit is not known, so it decides nothing
    if (column.isFull) return
    column.rows++
    const value = text.slice(0, MOST_CHARACTERS)
    if (column.values.has(value)) return
    if (column.values.size >= MOST_VALUES) {
      column.isFull = true
      return
    }
    if (column.values.size === 1) column.second ??= place
    // a copy, because a part of a text keeps the whole row in memory
    column.values.add(Buffer.from(value).toString())
  }
}

function namesPeople({ isCertain, values, rows }: Column, sharesTimes: boolean): boolean {
  return values.size > 1 && (isCertain || sharesTimes || rows >= values.size * ROWS_OF_PERSON)
}

function severalPeople(name: string, { values, second, isFull }: Column): ServiceError {
  const count = values.size.toLocaleString('en-US')
  const column = shown(name)
  return new ServiceError(
    'invalid_file',
    `The file contains data of more than one person: its column "${column}" has ${isFull ? 'more than ' : ''}${count} ` +
      `values, and ${second} has another one than the rows before it. An import for one user takes the rows of one person. ` +
      `Select them by a value of the column (where), or import each value for a user of its own (map user to the column).`,
    {
      suggestions: [
        `Add --where '${column}=VALUE' to import the rows of one person.`,
        `Replace --user with --map 'user=${column}' to import each value for the user with that client user ID.`,
      ],
    },
  )
}

function sharedTimes(percent: number, place: string): ServiceError {
  return new ServiceError(
    'invalid_file',
    `The file seems to contain data of more than one person or device: about ${percent} % of its rows have the time of ` +
      `another row but a different value, the first in ${place}, so they would replace each other. Select the rows of one ` +
      `person or device by a value of a column (where), or import each person for a user of their own (map user to a column).`,
    {
      suggestions: [
        "Add --where 'COLUMN=VALUE' to import the rows of one person or device.",
        "Replace --user with --map 'user=COLUMN' to import each value for the user with that client user ID.",
      ],
    },
  )
}
