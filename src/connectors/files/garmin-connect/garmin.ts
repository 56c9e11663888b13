/** Importer for the export of a Garmin Connect account: lists in JSON, and FIT files in zip files inside it. */
import { NIGHT_TYPE } from '../../../catalogue/kinds.ts'
import { joinedKinds } from '../../../catalogue/supplied-kinds.ts'
import { parseDate, SECOND_MS } from '../../../core/time.ts'
import { asText, member, objectsIn } from '../../shared/json-fields.ts'
import { addActivityFile } from '../archive/activity-file.ts'
import { localTime, offsetBetween, utcTime } from '../archive/clock.ts'
import { ArchiveData } from '../archive/data.ts'
import { type ArchivePart, lists, notRead, part } from '../archive/format.ts'
import { archiveImporter } from '../archive/reader.ts'
import { type FieldTable, JsonElement, type PartRecord } from '../archive/record.ts'
import { addSeries, kindsOfSeries, rule, type SeriesRule } from '../archive/series.ts'
import { fit } from '../fit/fit.ts'
import { GarminActivities } from './activities.ts'
import { GarminNights } from './nights.ts'

const PROVIDER = 'garmin'
const NOT_ZERO = { none: [0] } as const
const WEIGHT = rule('weight.weight', 'body_weight', { per: 1000, ...NOT_ZERO })
const WATER = rule('valueInML', 'water')
const FITNESS = rule('vo2MaxValue', 'vo2_max', NOT_ZERO)
/** Values of a night, by type. Those of other types are not stored, because the files do not say what they are. */
const STATUS: Readonly<Record<string, SeriesRule>> = {
  SKIN_TEMP_C: rule('value', 'body_temperature_delta'),
  SPO2: rule('value', 'blood_oxygen', { type: NIGHT_TYPE, ...NOT_ZERO }),
  RESPIRATION: rule('value', 'respiratory_rate', NOT_ZERO),
}
const SLEEP: FieldTable = {
  deep: 'deepSleepSeconds',
  light: 'lightSleepSeconds',
  rem: 'remSleepSeconds',
  awake: 'awakeSleepSeconds',
  score: 'sleepScores.overallScore',
  hr_average: 'spo2SleepSummary.averageHR',
  respiratory_rate: 'averageRespiration',
}
/** Of two resting heart rates of a day, the other one is the mean of seven days. */
const HEART: FieldTable = {
  min_bpm: 'minHeartRate',
  max_bpm: 'maxHeartRate',
  resting_bpm: 'currentDayRestingHeartRate',
}
/** Sources of weights that are changes of the profile, not measurements. */
const PROFILE_EDITS: ReadonlySet<string> = new Set(['CHANGE_LOG', 'USER_SETTING'])
/** How the watch or the person confirmed a night. Others are times at which the watch was not worn. */
const CONFIRMED = /^(?:ENHANCED_CONFIRMED|MANUALLY_CONFIRMED|AUTO_CONFIRMED)/
const METRES_PER_FLOOR = 3.048

class GarminExport extends ArchiveData {
  readonly activities = new GarminActivities(this.run)
  private readonly nights = new GarminNights(this.run)

  override finish(): void {
    this.nights.finish()
    this.activities.finish()
    super.finish()
  }

  /** Reads a file of activities, nights or minutes, after all lists. */
  async file(part: ArchivePart): Promise<void> {
    await addActivityFile(this.run, part, summary => {
      if (summary.kind === 'sleep') return this.nights.statedOf(summary)
      return summary.kind === 'workouts' ? this.activities.titleOf(summary) : undefined
    })
  }

  /** Reads a day's totals, and learns the offset of its local time. */
  day(day: PartRecord): void {
    const date = day.text('calendarDate')
    const start = utcTime(day.text('wellnessStartTimeGmt'))?.ms
    if (date !== undefined) this.clock.learn(date, offsetBetween(localTime(day.text('wellnessStartTimeLocal')), start))
    const metres = day.number('floorsAscendedInMeters')
    const fields = {
      steps: day.number('totalSteps'),
      distance: day.number('totalDistanceMeters') ?? day.number('wellnessDistanceMeters'),
      calories_total: day.number('totalKilocalories'),
      calories_active: day.number('activeKilocalories'),
      floors_climbed: metres && metres / METRES_PER_FLOOR,
      medium: day.number('moderateIntensityMinutes'),
      high: day.number('vigorousIntensityMinutes'),
    }
    this.days.put(date, fields, day.positives(HEART))
  }

  /** Reads a night and its day's naps. Times are UTC although they do not say so. */
  sleep(night: PartRecord) {
    const { run } = this
    const offset = this.clock.offsetOn(night.text('calendarDate') ?? '')
    for (const each of objectsIn(night.value('napList'))) {
      const nap = new JsonElement(each)
      const start = utcTime(nap.text('napStartTimestampGMT'), offset)
      const end = utcTime(nap.text('napEndTimestampGMT'), offset)
      const total = start && end && Math.round((end.ms - start.ms) / SECOND_MS)
      this.nights.add({ start, end, fields: { total: total ?? null }, isNap: true })
    }
    const confirmation = night.text('sleepWindowConfirmationType')
    if (confirmation !== undefined && !CONFIRMED.test(confirmation)) {
      return run.skip('nights that were not confirmed, or in which the watch was not worn')
    }
    const fields = night.positives(SLEEP)
    const total = (fields['deep'] ?? 0) + (fields['light'] ?? 0) + (fields['rem'] ?? 0)
    const start = utcTime(night.text('sleepStartTimestampGMT'), offset)
    if (start !== undefined && fields['deep'] === undefined && fields['light'] === undefined) {
      return run.skip('nights without durations of sleep')
    }
    this.nights.add({ start, end: utcTime(night.text('sleepEndTimestampGMT'), offset), fields: { ...fields, total } })
  }

  /** Reads the values of a night. */
  status(status: PartRecord) {
    const midnight = this.midnight(status)
    if (midnight === undefined) return
    for (const metric of objectsIn(status.value('metrics'))) {
      const known = STATUS[asText(member(metric, 'type')) ?? '']
      if (known !== undefined) addSeries(this.run, [known], new JsonElement(metric), midnight)
      else this.run.skip('health status values of which it is not known what they are')
    }
  }

  weight(record: PartRecord) {
    const time = utcTime(record.text('weight.timestampGMT'))
    if (PROFILE_EDITS.has(record.text('weight.sourceType') ?? '')) {
      return this.run.skip('weights that were entered in the profile')
    }
    if (time !== undefined) addSeries(this.run, [WEIGHT], record, { start: time.ms, offset: null, sourceType: 'scale' })
  }

  water(record: PartRecord) {
    const local = localTime(record.text('timestampLocal'))
    if ((record.number('valueInML') ?? 0) < 0) return this.run.skip('water lost by sweating')
    if (local === undefined) return
    const { ms: start, offset } = this.clock.local(local)
    addSeries(this.run, [WATER], record, { start, offset, sourceType: 'app' })
  }

  fitness(record: PartRecord): void {
    const midnight = this.midnight(record)
    if (midnight !== undefined) addSeries(this.run, [FITNESS], record, midnight)
  }

  private midnight(record: PartRecord): { readonly start: number; readonly offset: number | null } | undefined {
    const midnight = parseDate(record.text('calendarDate') ?? '')
    if (midnight === undefined) return undefined
    const { ms: start, offset } = this.clock.local(midnight)
    return { start, offset }
  }
}

/** The importer. The days come first, because they have the offsets of local times, and the lists of nights and activities before their files. */
export const garminConnect = archiveImporter<GarminExport>({
  format: 'garmin_connect',
  title: 'Garmin Connect account export (zip)',
  provider: PROVIDER,
  sourceType: 'watch',
  kinds: joinedKinds([fit.kinds ?? {}, kindsOfSeries(PROVIDER, [WEIGHT, WATER, FITNESS, ...Object.values(STATUS)])]),
  mark: /(?:^|\/)di_connect\/|(?:^|\/)udsfile_[^/]*\.json$|_summarizedactivities\.json$/,
  data: GarminExport,
  families: [
    lists('days', part('udsfile_*.json'), (data, record) => data.day(record)),
    lists('nights', part('*_sleepdata.json'), (data, record) => data.sleep(record)),
    lists('health status', part('*_healthstatusdata.json'), (data, record) => data.status(record)),
    lists('biometrics', part('*_userbiometrics.json'), (data, record) => data.weight(record)),
    lists('hydration', part('hydrationlogfile_*.json'), (data, record) => data.water(record)),
    lists('VO2 max', part('metricsmaxmetdata_*.json'), (data, record) => data.fitness(record)),
    lists(
      'activities',
      part('*_summarizedactivities.json'),
      (data, record) => data.activities.add(record),
      '*.summarizedActivitiesExport',
    ),
    ...notRead({ 'fitness ages, which are derived from other values': ['*_fitnessagedata.json'] }),
    {
      name: 'activity',
      path: /\.(?:fit|tcx|gpx)(?:\.gz)?$/,
      read: 'whole',
      take: (data, file) => data.file(file),
    },
    { name: 'uploaded files', path: part('uploadedfiles*.zip'), read: 'zip' },
  ],
})
