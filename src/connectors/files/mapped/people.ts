/** Determines whether a table's rows are about several people, because nothing else would keep those people's samples apart. */
import { ServiceError } from '../../../core/errors.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { formatCount } from '../../../core/text.ts'
import { shown } from './mapping.ts'
import { SharedTimes } from './shared-times.ts'

/** A row's values that may identify its owner. */
export interface RowIdentity {
  /** Cells of columns that could identify a person, with the column names. */
  readonly people: readonly (readonly [column: string, text: string])[]
  /** The part of the row that determines its key, such as its time; '' if there is none. */
  readonly key: string
  /** The row's value under that key; '' if there is none. */
  readonly reading: string
}

/** Singular names of columns that identify people. */
const PEOPLE =
  'user|participant|patient|person|subject|athlete|respondent|student|employee|volunteer|wearer|member|client|customer|proband|' +
  'teilnehmer|versuchsperson|benutzer|nutzer|mitarbeiter|kunde|usuario|utilisateur|paciente'
/** Words for the values in an identifying column. */
const SAYS =
  'id|ids|identifier|name|firstname|lastname|fullname|number|no|nr|nummer|code|key|uid|uuid|guid|hash|ref|reference|email|pseudonym'
/** Matches names (without punctuation) of columns that identify people whenever they have several values. */
const PERSON = new RegExp(
  `^(?:${[
    `(?:app|client|external|study)?(?:${PEOPLE})(?:e?n)?(?:${SAYS})`,
    `(?:id|code|name)(?:of|de|du|der|des)?(?:${PEOPLE})`,
    'user|participant|patient|person|athlete|respondent|wearer|proband|teilnehmer|versuchsperson|benutzer|nutzer',
    'usuario|utilisateur|paciente',
    'profileid|accountid|usubjid|subjid|subid|ptid|deidentid|healthcode|pseudonym|mrn|medicalrecordnumber|ssn|nhsnumber',
    'email|mail|emailaddress|firstname|lastname|surname|familyname|fullname|vorname|nachname|familienname',
  ].join('|')})$`,
)
/** Matches names that a column with a row's own number or text can also have. Such columns identify people only if their values repeat. */
const PERHAPS_PERSON =
  /^(?:id|uid|pid|sub|subj|subject|individual|member|client|customer|profile|account|owner|student|employee|volunteer|studyid|seqn)$/
/** Matches names that any column can have. Such columns identify people only if their rows share times. */
const ANYTHING = /^(?:name|displayname|nickname|code|uuid|guid|recordid|caseid|case|child|baby|rider|runner)$/

/** Returns whether a column with this name could identify a row's owner. */
export function mayNamePerson(column: string): boolean {
  return columnCertainty(column) !== null
}

type Certainty = 'certain' | 'if repeated' | 'if times are shared'

/** Returns the condition under which several values in a column with this name mean several people; null for never. */
function columnCertainty(column: string): Certainty | null {
  const plain = column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  if (PERSON.test(plain)) return 'certain'
  if (PERHAPS_PERSON.test(plain)) return 'if repeated'
  return ANYTHING.test(plain) ? 'if times are shared' : null
}

/** Maximum number of values to remember per column, and maximum number of columns. */
const MOST_VALUES = 10_000
const MOST_COLUMNS = 20
const MOST_CHARACTERS = 256
/** Values in an ambiguous column identify people if each value is in at least this many rows on average. */
const ROWS_OF_PERSON = 2
/**
 * Minimum fraction of rows that share times with other values. From this fraction on, the values identify people even in a table that is
 * too short for the rule above.
 */
const SHARED_TIMES = 0.5

/** Evidence about a column that could identify people. */
interface Column {
  readonly certainty: Certainty | null
  readonly values: Set<string>
  rows: number
  /** The position of the first row with a second value. */
  second: string | null
  /** Whether there were too many values to remember, so that the remaining values were not counted. */
  isFull: boolean
}

/** Collects evidence. Call `see` for every row, then `check`. Memory use is bounded for any file. */
export class PeopleEvidence {
  private readonly columns = new Map<string, Column>()
  private readonly times = new SharedTimes()

  see({ people, key, reading }: RowIdentity, position: string): void {
    for (const [name, text] of people) this.seeColumn(name, text.trim(), position)
    if (key !== '' && reading !== '') this.times.see(key, reading, position)
  }

  /** Throws ServiceError `invalid_file` if the rows are about several people or would replace each other. */
  check(): void {
    const sharesTimes = this.times.share() >= SHARED_TIMES
    for (const [name, column] of this.columns)
      if (namesPeople(column, sharesTimes)) throw severalPeople(name, column, sharesTimes)
    const shared = this.times.shared()
    if (shared !== null) throw sharedTimes(shared.percent, shared.position)
  }

  private seeColumn(name: string, text: string, position: string): void {
    if (text === '' || (this.columns.size >= MOST_COLUMNS && !this.columns.has(name))) return
    const column = getOrInsert(this.columns, name, () => ({
      certainty: columnCertainty(name),
      values: new Set<string>(),
      rows: 0,
      second: null,
      isFull: false,
    }))
    // values beyond the limit are unknown, so they are ignored
    if (column.isFull) return
    column.rows++
    const value = text.slice(0, MOST_CHARACTERS)
    if (column.values.has(value)) return
    if (column.values.size >= MOST_VALUES) {
      column.isFull = true
      return
    }
    if (column.values.size === 1) column.second ??= position
    // copied, because a substring keeps the whole row in memory
    column.values.add(Buffer.from(value).toString())
  }
}

function namesPeople({ certainty, values, rows }: Column, sharesTimes: boolean): boolean {
  if (values.size < 2 || certainty === null) return false
  if (certainty === 'certain' || sharesTimes) return true
  return certainty === 'if repeated' && rows >= values.size * ROWS_OF_PERSON
}

function severalPeople(name: string, { certainty, values, second, isFull }: Column, isSure: boolean): ServiceError {
  const count = formatCount(values.size)
  const column = shown(name)
  const other = `If the column says something else, map it, such as --map 'workout_id=${column}' or 'app_id=${column}'.`
  return new ServiceError(
    'invalid_file',
    `The file contains data of more than one person: its column "${column}" has ${isFull ? 'more than ' : ''}${count} ` +
      `values, and ${second} has another one than the rows before it. An import for one user needs the rows of one person. ` +
      `Select them by a value of the column (where), or import each value for a user of its own (map user to the column).`,
    {
      suggestions: [
        `Add --where '${column}=VALUE' to import the rows of one person.`,
        `Replace --user with --map 'user=${column}' to import each value for the user with that client user ID.`,
        ...(isSure || certainty === 'certain' ? [] : [other]),
      ],
    },
  )
}

function sharedTimes(percent: number, position: string): ServiceError {
  return new ServiceError(
    'invalid_file',
    `The file seems to contain data of more than one person or device, or times that are too coarse: about ${percent} % of its ` +
      `rows have the time of another row but a different value, the first in ${position}, so they would replace each other. Select the rows of one ` +
      `person or device by a value of a column (where), or import each person for a separate user (map user to a column).`,
    {
      suggestions: [
        "Add --where 'COLUMN=VALUE' to import the rows of one person or device.",
        "Replace --user with --map 'user=COLUMN' to import each value for the user with that client user ID.",
        "If all rows are about one person, map the columns that distinguish their times, such as --map 'date=COLUMN' --map 'time=COLUMN'.",
      ],
    },
  )
}
