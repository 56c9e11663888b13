/** Importer for Strava's bulk export: a table of activities, and the files from which they were made. */
import type { SummaryRecord } from '../../../core/sample.ts'
import { withoutNulls } from '../../../core/summary-document.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import { addActivityFile } from '../archive/activity-file.ts'
import { utcTime } from '../archive/clock.ts'
import { ArchiveData } from '../archive/data.ts'
import { type ArchivePart, tables } from '../archive/format.ts'
import { archiveImporter, nameOf } from '../archive/reader.ts'
import type { TableRow } from '../archive/record.ts'
import { type ArchiveWorkout, addWorkout } from '../archive/workouts.ts'
import { fit } from '../fit/fit.ts'

const SOURCE_TYPE = 'app'
/** Positions in every export. The names after the ID are translated, and some names occur twice. */
const [DATE, TITLE, TYPE, ELAPSED, FILE] = [1, 2, 3, 5, 12]
/** Maximum number of activities, enough for more than a lifetime. */
const MOST_ACTIVITIES = 200_000
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Names of columns by field. Translated names are not known, so rows of such tables have only what is read by position. */
const TOTALS = {
  moving_time: 'moving time',
  distance: 'distance',
  average_speed: 'average speed',
  max_speed: 'max speed',
  total_elevation_gain: 'elevation gain',
  calories: 'calories',
  average_hr: 'average heart rate',
  max_hr: 'max heart rate',
  average_watts: 'average watts',
  max_watts: 'max watts',
} as const
const IN_FILE = 'rows of activities that are stored from their files, with the titles and sports of the rows'

interface Listed {
  /** The workout that the row alone makes. */
  readonly workout: ArchiveWorkout
  readonly position: string
  isInFile: boolean
}

class StravaExport extends ArchiveData {
  /** Activities by the name of their file. */
  private readonly listed = new Map<string, Listed>()

  override finish(): void {
    this.run.family = 'activities'
    for (const activity of this.listed.values()) {
      this.run.positionOf = () => activity.position
      if (activity.isInFile) this.run.skip(IN_FILE)
      else addWorkout(this.run, activity.workout)
    }
  }

  /** Reads an activity. Those with a file are kept until the file has been read. */
  row(row: TableRow) {
    const { run } = this
    const { cells, header } = row
    const workout = rowWorkout(row)
    const isFile = (cell: string | undefined): boolean => /^activities\/[^/]+$/.test(cell ?? '')
    const file = [cells[header.indexOf('filename')], cells[FILE], ...cells].find(isFile)
    if (file === undefined) return addWorkout(run, workout)
    const name = nameOf(file)
    if (this.listed.has(name)) return run.skip('rows of a file that another row already has')
    if (this.listed.size >= MOST_ACTIVITIES) return run.skip(`activities after the first ${MOST_ACTIVITIES}`)
    this.listed.set(name, { workout, position: run.positionOf(), isInFile: false })
    run.hold()
  }

  /** Reads the file of an activity, after the table. */
  async file(part: ArchivePart): Promise<void> {
    const activity = this.listed.get(nameOf(part.path))
    const statedOf = ({ kind }: SummaryRecord, isOnly: boolean) => {
      const { title, sport } = (kind === 'workouts' && activity?.workout) || {}
      return { title: title ?? undefined, sport: (isOnly && sport) || undefined }
    }
    const isAdded = await addActivityFile(this.run, part, statedOf, SOURCE_TYPE)
    if (isAdded && activity !== undefined) activity.isInFile = true
  }
}

/** Returns the workout of a row. Of columns whose name occurs twice, the second one is in metres or more exact. */
function rowWorkout({ cells, header: { names } }: TableRow): ArchiveWorkout {
  const number = (index: number): number | undefined => {
    const value = Number(cells[index]?.trim() || Number.NaN)
    return value > 0 ? value : undefined
  }
  const totals = Object.entries(TOTALS).map(([field, name]) => [field, number(names.lastIndexOf(name))])
  // the first of two distances is in kilometres, or for some sports in metres
  const hasMetres = names.indexOf('distance') !== names.lastIndexOf('distance')
  const start = stravaTime(cells[DATE]?.trim() ?? '')
  const elapsed = number(ELAPSED)
  const stated = { moving_time: elapsed, ...withoutNulls(Object.fromEntries(totals)) }
  return {
    start: start === undefined ? undefined : { ms: start, offset: null },
    endMs: start === undefined ? undefined : start + (elapsed ?? 0) * SECOND_MS,
    sport: sportOfName(cells[TYPE] ?? ''),
    title: cells[TITLE]?.trim() || undefined,
    stated: hasMetres ? stated : { ...stated, distance: undefined },
  }
}

/** Returns the time of an activity, which is in UTC: `Sep 12, 2018, 3:02:23 PM`, `09.12.2022, 15:24:49` or ISO; undefined for other forms. */
export function stravaTime(text: string): EpochMs | undefined {
  const english = /^([A-Z][a-z]{2}) (\d{1,2}), (\d{4}),? (\d{1,2}):(\d{2}):(\d{2})(?:\s([AP])M)?$/.exec(text)
  if (english !== null) {
    const [, month = '', day, year, hour, minute, second, half] = english
    const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'P' ? 12 : 0)
    return timeOf(year, MONTHS.indexOf(month.toLowerCase()) + 1, day, hours, minute, second)
  }
  const german = /^(\d{1,2})\.(\d{1,2})\.(\d{4}),? (\d{1,2}):(\d{2}):(\d{2})$/.exec(text)
  if (german === null) return utcTime(text)?.ms
  const [, day, month, year, hour, minute, second] = german
  return timeOf(year, Number(month), day, Number(hour), minute, second)
}

function timeOf(
  year: string | undefined,
  month: number,
  day: string | undefined,
  hour: number,
  minute = '',
  second = '',
): EpochMs | undefined {
  const midnight = parseDate(`${year}-${String(month).padStart(2, '0')}-${day?.padStart(2, '0')}`)
  const time = hour * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * SECOND_MS
  return midnight === undefined || time >= DAY_MS ? undefined : midnight + time
}

/** The importer. Strava has copies of recordings by any device, so queries prefer the device's own to an app's. */
export const strava = archiveImporter<StravaExport>({
  format: 'strava',
  title: 'Strava bulk export (zip)',
  provider: 'strava',
  sourceType: SOURCE_TYPE,
  kinds: fit.kinds ?? {},
  mark: /(?:^|\/)activities\/[^/]+\.(?:fit|tcx|gpx)(?:\.gz)?$|(?:^|\/)(?:starred_segments|global_challenges)\.csv$/,
  data: StravaExport,
  families: [
    tables('activities', /^(?:[^/]+\/)?activities\.csv$/, (data, row) => data.row(row)),
    {
      name: 'activity',
      path: /(?:^|\/)activities\/[^/]+\.(?:fit|tcx|gpx)(?:\.gz)?$/,
      read: 'whole',
      take: (data, file) => data.file(file),
    },
  ],
})
