/** Importer for Strava's bulk export: a table of activities, and the files from which they were made. */
import { OTHER_SPORT, type Sport } from '../../../catalogue/sports.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import { addActivityFile } from '../archive/activity-file.ts'
import { utcTime } from '../archive/clock.ts'
import type { ArchivePart, ArchiveState } from '../archive/format.ts'
import { archiveImporter, nameOf } from '../archive/reader.ts'
import type { TableRow } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { type ArchiveWorkout, addWorkout } from '../archive/workouts.ts'
import { fit } from '../fit/fit.ts'

const PROVIDER = 'strava'
/** Strava has copies of recordings by any device. Queries prefer the device's own. */
const SOURCE_TYPE = 'app'
/** Positions in every export. The names after the ID are translated, and some names occur twice. */
const [DATE, TITLE, TYPE, ELAPSED, FILE] = [1, 2, 3, 5, 12]
const ACTIVITY_FILE = /^activities\/[^/]+$/
/** Maximum number of activities, enough for more than a lifetime. */
const MOST_ACTIVITIES = 200_000
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

interface Listed {
  readonly title: string | undefined
  readonly sport: Sport | undefined
  /** The workout that the row alone makes; undefined if its date cannot be read. */
  readonly workout: ArchiveWorkout | undefined
  readonly position: string
  isInFile: boolean
}

class StravaExport implements ArchiveState {
  private readonly run: ArchiveRun
  /** Activities by the name of their file. */
  private readonly listed = new Map<string, Listed>()

  constructor(run: ArchiveRun) {
    this.run = run
  }

  finish(): void {
    for (const activity of this.listed.values()) {
      if (activity.isInFile)
        this.run.skip(
          'rows of activities that are stored from their files, with the titles and sports of the rows',
          1,
          activity.position,
        )
      else this.addRow(activity)
    }
  }

  /** Reads an activity. Those with a file are kept until the file has been read. */
  row(row: TableRow) {
    const { run } = this
    const { cells } = row
    const sport = sportOfName(cells[TYPE] ?? '') ?? undefined
    const title = cells[TITLE]?.trim() || undefined
    const start = stravaTime(cells[DATE]?.trim() ?? '')
    const workout = start === undefined ? undefined : rowWorkout(run, row, start, sport, title)
    const activity: Listed = { title, sport, workout, position: run.positionOf(), isInFile: false }
    const file = [
      cells[row.header.indexOf('filename')],
      cells[FILE],
      cells.find(cell => ACTIVITY_FILE.test(cell)),
    ].find(each => ACTIVITY_FILE.test(each ?? ''))
    if (file === undefined) return this.addRow(activity)
    if (this.listed.size >= MOST_ACTIVITIES) return run.skip(`activities after the first ${MOST_ACTIVITIES}`)
    this.listed.set(nameOf(file), activity)
    run.hold()
  }

  /** Reads the file of an activity, after the table. */
  async file(part: ArchivePart): Promise<void> {
    const activity = this.listed.get(nameOf(part.path))
    const isAdded = await addActivityFile(
      this.run,
      part,
      (_, isOnly) => activity && { title: activity.title, sport: isOnly ? activity.sport : undefined },
      SOURCE_TYPE,
    )
    if (isAdded && activity !== undefined) activity.isInFile = true
  }

  /** Adds an activity without a file. */
  private addRow({ workout, position }: Listed) {
    this.run.family = 'activities'
    this.run.positionOf = () => position
    if (workout === undefined) return this.run.skip('activities without a file whose date is in an unknown form')
    addWorkout(this.run, workout)
  }
}

/** Returns the workout of a row. Of columns whose name occurs twice, the second one is in metres or more exact. */
function rowWorkout(
  run: ArchiveRun,
  { cells, header }: TableRow,
  start: EpochMs,
  sport: Sport | undefined,
  title: string | undefined,
): ArchiveWorkout {
  const number = (name: string, least = 0): number | undefined => {
    const value = Number(cells[header.names.lastIndexOf(name)]?.trim() || Number.NaN)
    return value > least || value === 0 ? value : undefined
  }
  const elapsed = Number(cells[ELAPSED]?.trim() || 0)
  return {
    recordId: [run.importing.chooseSourceType(SOURCE_TYPE), start],
    start: { ms: start, offset: null },
    endMs: start + (elapsed > 0 ? elapsed * SECOND_MS : 0),
    sport: sport ?? OTHER_SPORT,
    title,
    stated: {
      moving_time: number('moving time') ?? (elapsed > 0 ? elapsed : undefined),
      // the first of two distances is in kilometres, or for some sports in metres
      distance:
        header.names.indexOf('distance') === header.names.lastIndexOf('distance') ? undefined : number('distance'),
      average_speed: number('average speed'),
      max_speed: number('max speed'),
      total_elevation_gain: number('elevation gain'),
      calories: number('calories'),
      average_hr: number('average heart rate'),
      max_hr: number('max heart rate'),
      average_watts: number('average watts'),
      max_watts: number('max watts'),
    },
    sourceType: SOURCE_TYPE,
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

/** The importer. See docs/import.md for what is read. */
export const strava = archiveImporter<StravaExport>({
  format: 'strava',
  title: 'Strava bulk export (zip)',
  provider: PROVIDER,
  sourceType: SOURCE_TYPE,
  kinds: fit.kinds ?? {},
  mark: /(?:^|\/)activities\/[^/]+\.(?:fit|tcx|gpx)(?:\.gz)?$|(?:^|\/)(?:starred_segments|global_challenges)\.csv$/,
  families: [
    { name: 'activities', path: /^(?:[^/]+\/)?activities\.csv$/, read: 'csv', take: (state, row) => state.row(row) },
    {
      name: 'activity',
      path: /(?:^|\/)activities\/[^/]+\.(?:fit|tcx|gpx)(?:\.gz)?$/,
      read: 'whole',
      take: (state, file) => state.file(file),
    },
  ],
  begin: run => new StravaExport(run),
})
