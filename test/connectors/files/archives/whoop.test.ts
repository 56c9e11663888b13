/** Exports of WHOOP: local times with offsets, nights that are in two tables, and tables in other languages. */
import { describe, expect, test } from 'vitest'
import { whoop } from '../../../../src/connectors/files/whoop/whoop.ts'
import { type RecordsRead, reasons } from '../record-files.ts'
import { csv, type Parts, readArchive } from './archive.ts'

const read = (parts: Parts, context = {}) => readArchive(whoop, parts, context)
const documents = ({ summaries }: RecordsRead, wanted: string) =>
  summaries.filter(({ kind }) => kind === wanted).map(({ document }) => document)

const CYCLES =
  '\ufeffCycle start time,Cycle end time,Cycle timezone,Recovery score %,Resting heart rate (bpm),Heart rate variability (ms),' +
  'Skin temp (celsius),Blood oxygen %,Day Strain,Energy burned (cal),Max HR (bpm),Average HR (bpm),Sleep onset,Wake onset'
const CYCLE =
  '2024-07-01 22:30:00,2024-07-02 23:00:00,UTC-04:00,66,52,48,34.1,96.5,12.3,2450,160,68,2024-07-01 22:30:00,2024-07-02 06:30:00'
const SLEEPS =
  'Cycle start time,Cycle end time,Cycle timezone,Sleep onset,Wake onset,Sleep performance %,Respiratory rate (rpm),' +
  'Asleep duration (min),In bed duration (min),Light sleep duration (min),Deep (SWS) duration (min),REM duration (min),' +
  'Awake duration (min),Sleep efficiency %,Nap'
const SLEEP =
  '2024-07-01 22:30:00,,UTC-04:00,2024-07-01 22:30:00,2024-07-02 06:30:00,88,14.5,440,480,240,90,110,40,91.7,false'
const NAP = '2024-07-01 22:30:00,,UTC-04:00,2024-07-02 14:00:00,2024-07-02 14:30:00,,14,25,30,25,0,0,5,83,true'

describe('an export of WHOOP', () => {
  test('stores a night once, with its recovery and the offset of its cycle', async () => {
    const found = await read({ 'physiological_cycles.csv': csv(CYCLES, CYCLE), 'sleeps.csv': csv(SLEEPS, SLEEP, NAP) })
    expect(documents(found, 'sleep')).toMatchObject([
      {
        bedtime_start: '2024-07-02T02:30:00+00:00',
        bedtime_stop: '2024-07-02T10:30:00+00:00',
        timezone_offset: -14_400,
        total: 26_400,
        duration: 28_800,
        deep: 5400,
        score: 88,
        respiratory_rate: 14.5,
        hr_resting: 52,
        average_hrv: 48,
        recovery_readiness_score: 66,
        skin_temperature: 34.1,
      },
      { type: 'acknowledged_nap', total: 1500 },
    ])
    expect(documents(found, 'sleep')[1]).not.toHaveProperty('hr_resting')
    expect(found.samples.map(({ resource, start, value }) => [resource, start, value])).toEqual([
      ['hrv', '2024-07-02T10:30:00.000Z', 48],
      ['blood_oxygen', '2024-07-02T10:30:00.000Z', 96.5],
      ['body_temperature', '2024-07-02T10:30:00.000Z', 34.1],
      ['respiratory_rate', '2024-07-02T10:30:00.000Z', 14.5],
      ['respiratory_rate', '2024-07-02T18:30:00.000Z', 14],
    ])
    expect(documents(found, 'activity')).toMatchObject([
      {
        calendar_date: '2024-07-02',
        calories_total: 2450,
        heart_rate: { avg_bpm: 68, max_bpm: 160 },
      },
    ])
  })

  test('keeps two cycles that start on one date apart, and reads all forms of a time zone', async () => {
    const cycle = (start: string, zone: string) => `2024-07-01 ${start}:00,,${zone},,,,,,,1000,,,,`
    const found = await read({
      'physiological_cycles.csv': csv(CYCLES, cycle('00:10', 'UTCZ'), cycle('23:30', '+01:00'), cycle('23:50', 'Z')),
    })
    expect(found.summaries.map(({ offset, date }) => [offset, date])).toEqual([
      [0, '2024-07-01'],
      [3600, '2024-07-02'],
      [0, '2024-07-02'],
    ])
    expect(new Set(found.summaries.map(({ id }) => id)).size).toBe(3)
  })

  test('reads workouts in kcal, and zones as shares of their duration', async () => {
    const header =
      'Cycle start time,Cycle timezone,Workout start time,Workout end time,Duration (min),Activity name,Activity Strain,' +
      'Energy burned (cal),Max HR (bpm),Average HR (bpm),HR Zone 1 %,HR Zone 2 %,HR Zone 3 %,HR Zone 4 %,HR Zone 5 %,' +
      'GPS enabled,Distance (meters),Altitude gain (meters)'
    const row =
      '2024-07-01 22:30:00,UTC+02:00,2024-07-02 18:00:00,2024-07-02 18:50:00,50,Running,11,520,175,150,10,20,30,20,10,true,8000,45'
    const found = await read({
      'workouts.csv': csv(header, row),
      'journal_entries.csv': csv('Question text', 'Any alcohol?'),
    })
    expect(documents(found, 'workouts')).toMatchObject([
      {
        sport: { slug: 'running' },
        time_start: '2024-07-02T16:00:00+00:00',
        calories: 520,
        distance: 8000,
        total_elevation_gain: 45,
        hr_zones: [300, 300, 600, 900, 600, 300],
      },
    ])
    expect(reasons(found)).toEqual({ 'journal entries': 1 })
  })

  test('reads tables with translated names, and counts those with translated columns', async () => {
    const found = await read({
      'physiologische_zyklen.csv': csv(CYCLES, CYCLE),
      'schlaf.csv': csv('Startzeit des Zyklus,Schlafbeginn', '2024-07-01 22:30:00,2024-07-01 22:30:00'),
    })
    expect(documents(found, 'activity')).toHaveLength(1)
    expect(reasons(found)).toEqual({
      'rows of tables with unknown columns; WHOOP translates them if the app is not set to English': 1,
    })
  })

  test('reads times without an offset in the zone of the user, and says so', async () => {
    const found = await read(
      { 'physiological_cycles.csv': csv(CYCLES, CYCLE.replace('UTC-04:00', '')) },
      { timeZone: 'Europe/Berlin' },
    )
    expect(found.samples[0]?.start).toBe('2024-07-02T04:30:00.000Z')
    expect(found.notices).toEqual({ 'local times without an offset, read in Europe/Berlin': 2 })
  })
})
