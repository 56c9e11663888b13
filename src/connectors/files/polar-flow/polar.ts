/** Importer for Polar Flow's export: JSON files of days, nights and continuous heart rates. */
import { type IsoDate, localDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import { asNumber, asText, member, objectsIn } from '../../shared/json-fields.ts'
import { STAGES, type StageSpan } from '../../shared/summaries.ts'
import { ArchiveData } from '../archive/data.ts'
import { lists, notRead, part } from '../archive/format.ts'
import { addNight } from '../archive/nights.ts'
import { archiveImporter } from '../archive/reader.ts'
import type { PartRecord } from '../archive/record.ts'
import { kindsOfSeries, rule } from '../archive/series.ts'
import { isoDuration } from './duration.ts'
import { addTraining } from './training.ts'

const PROVIDER = 'polar'
const STAGE_OF: Readonly<Record<string, number>> = {
  WAKE: STAGES.awake,
  REM: STAGES.rem,
  NONREM1: STAGES.light,
  NONREM2: STAGES.light,
  NONREM3: STAGES.deep,
}

class PolarExport extends ArchiveData {
  training(session: PartRecord): void {
    addTraining(this.run, this.clock, session)
  }

  /** Reads a day's totals, and its steps by minute. */
  day(day: PartRecord): void {
    const { run, clock } = this
    const date = day.text('date')
    this.days.put(date, {
      steps: day.number('summary.stepCount'),
      distance: day.number('summary.stepsDistance'),
      calories_total: day.number('summary.calories'),
    })
    for (const each of objectsIn(day.value('samples.steps'))) {
      const [time, value] = [asText(member(each, 'localTime')), asNumber(member(each, 'value'))]
      const at = clock.read(time?.includes('T') ? time : `${date}T${time}`)
      if (at === undefined || value === undefined) run.skip('steps without a time or a value')
      else run.sample('steps', { start: at.ms, value, offset: at.offset })
    }
  }

  /** Reads a device's heart rates of a local day. Each device is a source of its own. */
  heartRates(day: PartRecord): void {
    const { run, clock } = this
    const midnight = parseDate(day.text('date') ?? '')
    if (midnight === undefined) return
    const device = day.value('deviceId')
    const text = device === undefined ? {} : { text: { device_id: run.deviceId(String(device)) } }
    for (const each of objectsIn(day.value('samples'))) {
      const [bpm, seconds] = [asNumber(member(each, 'heartRate')), asNumber(member(each, 'secondsFromDayStart'))]
      if (bpm === undefined || bpm === 0 || seconds === undefined) {
        run.skip('heart rates without a value or a time')
        continue
      }
      const { ms: start, offset } = clock.local(midnight + seconds * SECOND_MS)
      run.sample('heartrate', { start, value: bpm, offset, ...text })
    }
  }

  night(night: PartRecord): void {
    const { run, clock } = this
    const path = 'sleepResult.hypnogram'
    const [start, stop] = [clock.read(night.text(`${path}.sleepStart`)), clock.read(night.text(`${path}.sleepEnd`))]
    if (start === undefined || stop === undefined) return
    const changes = objectsIn(night.value(`${path}.sleepStateChanges`)).flatMap(change => {
      const after = isoDuration(member(change, 'offsetFromStart'))
      const stage = STAGE_OF[asText(member(change, 'state')) ?? '']
      return after === undefined || stage === undefined ? [] : [{ at: start.ms + after, stage }]
    })
    changes.sort((a, b) => a.at - b.at)
    // being awake at the end is not sleep
    let endMs = stop.ms
    while (changes.at(-1)?.stage === STAGES.awake && changes.length > 1) endMs = changes.pop()?.at ?? endMs
    const spans: StageSpan[] = changes.flatMap(({ at, stage }, i) => {
      const end = Math.min(changes[i + 1]?.at ?? endMs, endMs)
      return end > at ? [{ stage, start: at, end }] : []
    })
    const date: IsoDate = localDate(endMs, stop.offset)
    clock.learn(date, stop.offset)
    addNight(run, { start, end: { ...stop, ms: endMs }, spans })
  }
}

/** The importer. See docs/import.md for what is read. Nights come first, because they have the offsets of local times. */
export const polarFlow = archiveImporter<PolarExport>({
  format: 'polar_flow',
  title: 'Polar Flow export (zip)',
  provider: PROVIDER,
  sourceType: 'watch',
  kinds: kindsOfSeries(PROVIDER, [rule('value', 'steps'), rule('heartRate', 'heartrate')]),
  mark: /(?:^|\/)(?:247ohr_|training-session)[^/]*\.json$/,
  data: PolarExport,
  families: [
    lists('night', part('sleep_result*.json'), (data, record) => data.night(record)),
    {
      name: 'training',
      path: part('training-session*.json'),
      read: 'json',
      list: undefined,
      take: (data, record) => data.training(record),
    },
    {
      name: 'day',
      path: part('activity-DATE*.json'),
      read: 'json',
      list: undefined,
      take: (data, record) => data.day(record),
    },
    lists('heart rate', part('247ohr_*.json'), (data, record) => data.heartRates(record), 'deviceDays'),
    ...notRead({
      'intervals between heartbeats': ['ppi_samples*.json'],
      'files whose fields are not known': ['nightly_recovery*.json', 'sleep_score*.json', 'fitness-test*.json'],
    }),
  ],
})
