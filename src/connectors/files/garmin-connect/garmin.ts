/** Importer for the export of a Garmin Connect account: lists in JSON, and FIT files in zip files inside it. */
import { NIGHT_TYPE } from '../../../catalogue/kinds.ts'
import { joinedKinds } from '../../../catalogue/supplied-kinds.ts'
import { type IsoDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import { asText, member, objectsIn } from '../../shared/json-fields.ts'
import { ArchiveClock, localTime, offsetBetween, utcTime } from '../archive/clock.ts'
import { DayBook } from '../archive/days.ts'
import { type ArchiveState, type Family, part } from '../archive/format.ts'
import { addNight } from '../archive/nights.ts'
import { archiveImporter } from '../archive/reader.ts'
import { JsonElement, type PartRecord } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { addSeries, kindsOfSeries, type SeriesRule } from '../archive/series.ts'
import { fit } from '../fit/fit.ts'
import { GarminActivities } from './activities.ts'

const PROVIDER = 'garmin'
const WEIGHT: SeriesRule = { column: 'weight.weight', resource: 'body_weight', per: 1000, none: [0] }
const WATER: SeriesRule = { column: 'valueInML', resource: 'water' }
const FITNESS: SeriesRule = { column: 'vo2MaxValue', resource: 'vo2_max', none: [0] }
/** Values of a night, by type. Those of other types are not stored, because the files do not say what they are. */
const STATUS: Readonly<Record<string, SeriesRule>> = {
  SKIN_TEMP_C: { column: 'value', resource: 'body_temperature_delta' },
  SPO2: { column: 'value', resource: 'blood_oxygen', type: NIGHT_TYPE, none: [0] },
  RESPIRATION: { column: 'value', resource: 'respiratory_rate', none: [0] },
}
/** Sources of weights that are changes of the profile, not measurements. */
const PROFILE_EDITS: ReadonlySet<string> = new Set(['CHANGE_LOG', 'USER_SETTING'])
/** How the watch or the person confirmed a night. Others are times at which the watch was not worn. */
const CONFIRMED = /^(?:ENHANCED_CONFIRMED|MANUALLY_CONFIRMED|AUTO_CONFIRMED)/
const METRES_PER_FLOOR = 3.048

class GarminExport implements ArchiveState {
  readonly activities: GarminActivities
  private readonly run: ArchiveRun
  private readonly clock: ArchiveClock
  private readonly days: DayBook

  constructor(run: ArchiveRun) {
    this.run = run
    this.clock = new ArchiveClock(run)
    this.days = new DayBook(run, 'watch', date => this.clock.offsetOn(date))
    this.activities = new GarminActivities(run)
  }

  finish(): void {
    this.activities.finish()
    this.days.finish()
  }

  /** Reads a day's totals, and learns the offset of its local time. */
  day(day: PartRecord): void {
    const date = day.text('calendarDate')
    const start = utcTime(day.text('wellnessStartTimeGmt'))?.ms
    const offset = offsetBetween(localTime(day.text('wellnessStartTimeLocal')), start)
    if (date !== undefined) this.clock.learn(date, offset)
    const metres = day.number('floorsAscendedInMeters')
    this.days.put(
      date,
      {
        steps: day.number('totalSteps'),
        distance: day.number('totalDistanceMeters') ?? day.number('wellnessDistanceMeters'),
        calories_total: day.number('totalKilocalories'),
        calories_active: day.number('activeKilocalories'),
        floors_climbed: metres === undefined ? undefined : metres / METRES_PER_FLOOR,
        medium: day.number('moderateIntensityMinutes'),
        high: day.number('vigorousIntensityMinutes'),
      },
      {
        min_bpm: day.positive('minHeartRate'),
        max_bpm: day.positive('maxHeartRate'),
        // restingHeartRate is the mean of seven days
        resting_bpm: day.positive('currentDayRestingHeartRate'),
      },
    )
  }

  /** Reads a night and its day's naps. Times are UTC although they do not say so. */
  sleep(night: PartRecord) {
    const { run, clock } = this
    const date = night.text('calendarDate')
    const offset = date === undefined ? null : clock.offsetOn(date)
    for (const nap of objectsIn(night.value('napList'))) this.nap(new JsonElement(nap), offset)
    const confirmation = night.text('sleepWindowConfirmationType')
    if (confirmation !== undefined && !CONFIRMED.test(confirmation)) {
      return run.skip('nights that were not confirmed, or in which the watch was not worn')
    }
    const start = utcTime(night.text('sleepStartTimestampGMT'), offset)
    const end = utcTime(night.text('sleepEndTimestampGMT'), offset)
    if (start === undefined || end === undefined) return run.skip('nights without times')
    const [deep, light, rem] = ['deepSleepSeconds', 'lightSleepSeconds', 'remSleepSeconds'].map(each =>
      night.number(each),
    )
    if (deep === undefined && light === undefined) return run.skip('nights without durations of sleep')
    addNight(run, {
      recordId: [run.importing.chooseSourceType('watch'), start.ms],
      start,
      end,
      spans: [],
      fields: {
        deep: deep ?? null,
        light: light ?? null,
        rem: rem ?? null,
        awake: night.number('awakeSleepSeconds') ?? null,
        total: (deep ?? 0) + (light ?? 0) + (rem ?? 0),
        score: night.positive('sleepScores.overallScore') ?? null,
        hr_average: night.positive('spo2SleepSummary.averageHR') ?? null,
        respiratory_rate: night.positive('averageRespiration') ?? null,
      },
      sourceType: 'watch',
    })
  }

  /** Reads the values of a night. */
  status(status: PartRecord) {
    const { run } = this
    const midnight = this.midnight(status)
    if (midnight === undefined) return run.skip('health status records without a date')
    for (const metric of objectsIn(status.value('metrics'))) {
      const rule = STATUS[asText(member(metric, 'type')) ?? '']
      if (rule !== undefined) addSeries(run, [rule], new JsonElement(metric), { ...midnight, sourceType: 'watch' })
      else run.skip('health status values of which it is not known what they are')
    }
  }

  weight(record: PartRecord) {
    const { run } = this
    const time = utcTime(record.text('weight.timestampGMT'))
    if (record.value('weight') === undefined) return run.skip('biometric records without a weight')
    if (time === undefined) return run.skip('weights without a time')
    if (PROFILE_EDITS.has(record.text('weight.sourceType') ?? ''))
      return run.skip('weights that were entered in the profile')
    addSeries(run, [WEIGHT], record, { start: time.ms, offset: null, sourceType: 'scale' })
  }

  water(record: PartRecord) {
    const { run } = this
    const local = localTime(record.text('timestampLocal'))
    if (local === undefined) return run.skip('hydration records without a time')
    if ((record.number('valueInML') ?? 0) < 0) return run.skip('water lost by sweating')
    const { ms: start, offset } = this.clock.local(local)
    addSeries(run, [WATER], record, { start, offset, sourceType: 'app' })
  }

  fitness(record: PartRecord) {
    const midnight = this.midnight(record)
    if (midnight === undefined) return this.run.skip('VO2 max records without a date')
    addSeries(this.run, [FITNESS], record, { ...midnight, sourceType: 'watch' })
  }

  private nap(nap: PartRecord, offset: number | null) {
    const { run } = this
    const start = utcTime(nap.text('napStartTimestampGMT'), offset)
    const end = utcTime(nap.text('napEndTimestampGMT'), offset)
    if (start === undefined || end === undefined) return run.skip('naps without times')
    const total = Math.round((end.ms - start.ms) / SECOND_MS)
    const recordId = [run.importing.chooseSourceType('watch'), start.ms]
    addNight(run, { recordId, start, end, spans: [], fields: { total }, isNap: true, sourceType: 'watch' })
  }

  private midnight(record: PartRecord): { readonly start: number; readonly offset: number | null } | undefined {
    const date: IsoDate | undefined = record.text('calendarDate')
    const midnight = date === undefined ? undefined : parseDate(date)
    if (midnight === undefined) return undefined
    const { ms: start, offset } = this.clock.local(midnight)
    return { start, offset }
  }
}

const list = (
  name: string,
  path: string,
  take: (garmin: GarminExport, record: PartRecord) => void,
  within = '',
): Family<GarminExport> => ({ name, path: part(path), read: 'json', list: within, take })

/** The days come first, because they have the offsets of local times, and the lists of activities before their files. */
const FAMILIES: readonly Family<GarminExport>[] = [
  list('days', 'udsfile_*.json', (garmin, record) => garmin.day(record)),
  list('sleep', '*_sleepdata.json', (garmin, record) => garmin.sleep(record)),
  list('health status', '*_healthstatusdata.json', (garmin, record) => garmin.status(record)),
  list('biometrics', '*_userbiometrics.json', (garmin, record) => garmin.weight(record)),
  list('hydration', 'hydrationlogfile_*.json', (garmin, record) => garmin.water(record)),
  list('VO2 max', 'metricsmaxmetdata_*.json', (garmin, record) => garmin.fitness(record)),
  list(
    'activities',
    '*_summarizedactivities.json',
    (garmin, record) => garmin.activities.add(record),
    '*.summarizedActivitiesExport',
  ),
  { name: 'file', path: part('*_fitnessagedata.json'), skip: 'fitness ages, which are derived from other values' },
  {
    name: 'activity',
    path: /\.(?:fit|tcx|gpx)(?:\.gz)?$/,
    read: 'whole',
    take: (garmin, file) => garmin.activities.addFile(file),
  },
  { name: 'uploaded files', path: /(?:^|\/)uploadedfiles[^/]*\.zip$/, read: 'zip' },
]

/** The importer. See docs/import.md for what is read. */
export const garminConnect = archiveImporter<GarminExport>({
  format: 'garmin_connect',
  title: 'Garmin Connect account export (zip)',
  provider: PROVIDER,
  sourceType: 'watch',
  kinds: joinedKinds([fit.kinds ?? {}, kindsOfSeries(PROVIDER, [WEIGHT, WATER, FITNESS, ...Object.values(STATUS)])]),
  mark: /(?:^|\/)di_connect\/|(?:^|\/)udsfile_[^/]*\.json$|_summarizedactivities\.json$/,
  families: FAMILIES,
  begin: run => new GarminExport(run),
})
