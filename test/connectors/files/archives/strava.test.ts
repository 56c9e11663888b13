/** Bulk exports of Strava: columns with the same name, translated tables, packed files, and activities without one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { strava, stravaTime } from '../../../../src/connectors/files/strava/strava.ts'
import { SAMPLES } from '../activity-import.ts'
import { type RecordsRead, reasons } from '../record-files.ts'
import { csv, expectCounted, type Parts, readArchive } from './archive.ts'

const HEADER =
  'Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,Max Heart Rate,' +
  'Relative Effort,Commute,Activity Private Note,Activity Gear,Filename,Athlete Weight,Bike Weight,Elapsed Time,Moving Time,' +
  'Distance,Max Speed,Average Speed,Elevation Gain,Max Heart Rate,Average Heart Rate,Calories'
const read = (parts: Parts, hasFiles = false) => readArchive(strava, parts, {}, hasFiles)
const workouts = ({ summaries }: RecordsRead) => summaries.map(({ document }) => document)

const row = (id: string, date: string, name: string, type: string, file: string) =>
  `${id},"${date}","${name}",${type},"a ""quoted""\ndescription",3600,9.44,170,50,false,,,${file},70,,3600.0,3500.0,9440.2,5.5,2.7,120,171.0,150.0,600`

/** A TCX file that begins with blanks, as some do. */
const TCX = `          <?xml version="1.0"?><TrainingCenterDatabase><Activities><Activity Sport="Biking"><Id>2024-07-01T16:00:00Z</Id>
<Lap StartTime="2024-07-01T16:00:00Z"><TotalTimeSeconds>60</TotalTimeSeconds><Track>
<Trackpoint><Time>2024-07-01T16:00:00Z</Time><HeartRateBpm><Value>120</Value></HeartRateBpm></Trackpoint>
<Trackpoint><Time>2024-07-01T16:01:00Z</Time><HeartRateBpm><Value>130</Value></HeartRateBpm></Trackpoint>
</Track></Lap></Activity></Activities></TrainingCenterDatabase>`

describe('a bulk export of Strava', () => {
  test('reads the second of two columns with the same name, and dates in UTC', async () => {
    const found = await read({
      'activities.csv': csv(HEADER, row('1', 'Sep 12, 2018, 3:02:23 PM', 'Evening walk', 'Walk', '')),
      'starred_segments.csv': 'x',
      'messages.csv': 'private',
    })
    expect(workouts(found)).toMatchObject([
      {
        title: 'Evening walk',
        sport: { slug: 'walking' },
        time_start: '2018-09-12T15:02:23+00:00',
        time_end: '2018-09-12T16:02:23+00:00',
        moving_time: 3500,
        distance: 9440.2,
        average_hr: 150,
        max_hr: 171,
        calories: 600,
        total_elevation_gain: 120,
      },
    ])
    expect(reasons(found)).toEqual({ 'files that are not imported (.csv)': 2 })
  })

  test('reads packed files once, with the titles and sports of the table, whatever their number is', async () => {
    const found = await read(
      {
        'export_1/activities.csv': csv(
          HEADER,
          row('11', 'Jul 1, 2024, 4:00:00 PM', 'Virtual race', 'Virtual Ride', 'activities/99.tcx.gz'),
          row('12', 'Jul 2, 2024, 4:00:00 PM', 'Lost', 'Run', 'activities/100.fit.gz'),
        ),
        'export_1/activities/99.tcx.gz': gzipSync(TCX),
        'export_1/activities/101.gpx': readFileSync(join(SAMPLES, 'gpx/cerknicko-jezero.gpx')),
      },
      true,
    )
    expect(new Set(found.summaries.map(({ provider, sourceType }) => `${provider} ${sourceType}`))).toEqual(
      new Set(['strava app']),
    )
    const titles = workouts(found).map(({ title, sport }) => [title, (sport as { slug: string }).slug])
    expect(titles).toContainEqual(['Virtual race', 'virtual_ride'])
    expect(titles).toContainEqual(['Lost', 'running'])
    expect(found.samples.filter(({ text }) => text['sport'] === 'virtual_ride').map(({ value }) => value)).toEqual([
      120, 130,
    ])
    expect(found.streams.map(({ sport }) => sport?.slug)).toContain('virtual_ride')
    expect(reasons(found)).toEqual({
      'rows of activities that are stored from their files, with the titles and sports of the rows': 1,
    })
  })

  test('finds files and titles in translated tables by their position, and keeps the sport of the file', async () => {
    const german = `Aktivitäts-ID,Aktivitätsdatum,Name der Aktivität,Aktivitätsart,Beschreibung,Verstrichene Zeit,Distanz,Max. HF,Belastung,Weg,Notiz,Ausrüstung,Dateiname`
    const found = await read(
      {
        'activities.csv': csv(
          german,
          '1,"01.07.2024, 16:00:00",Feierabendrunde,Radfahrt,,60,"9,44",130,,,,,activities/99.tcx.gz',
          '2,"09.12.2022, 15:24:49",Schwimmen,Schwimmen,,1800,"1,5",,,,,,',
          '3,irgendwann,Lauf,Lauf,,60,"1,5",,,,,,',
        ),
        'activities/99.tcx.gz': gzipSync(TCX),
      },
      true,
    )
    expect(workouts(found)).toMatchObject([
      { title: 'Schwimmen', time_start: '2022-12-09T15:24:49+00:00', time_end: '2022-12-09T15:54:49+00:00' },
      { title: 'Feierabendrunde', sport: { slug: 'cycling' } },
    ])
    // the unit of the only distance is not known
    expect(workouts(found)[0]).not.toHaveProperty('distance')
    expect(reasons(found)['activities records without times']).toBe(1)
  })

  test('leaves out files that are damaged or too large when unpacked, and keeps their rows', async () => {
    const found = await read({
      'activities.csv': csv(
        HEADER,
        row('1', 'Jul 1, 2024, 4:00:00 PM', 'A', 'Run', 'activities/1.fit.gz'),
        row('2', 'Jul 2, 2024, 4:00:00 PM', 'B', 'Run', 'activities/2.fit.gz'),
      ),
      'activities/1.fit.gz': gzipSync('no FIT file').subarray(0, 20),
      'activities/2.fit.gz': gzipSync(Buffer.alloc(65 * 1_048_576)),
    })
    expect(workouts(found).map(({ title }) => title)).toEqual(['A', 'B'])
    expect(reasons(found)).toEqual({
      'activity files that are damaged': 1,
      'activity files larger than 64 MiB': 1,
    })
    expectCounted(found)
  })
})

test.each([
  ['Sep 12, 2018, 3:02:23 PM', '2018-09-12T15:02:23.000Z'],
  ['Sep 12, 2018, 12:02:23\u202fAM', '2018-09-12T00:02:23.000Z'],
  ['09.12.2022, 15:24:49', '2022-12-09T15:24:49.000Z'],
  ['2013-04-05 06:07:08', '2013-04-05T06:07:08.000Z'],
  ['31.02.2022, 15:24:49', undefined],
  ['12/09/2022 15:24', undefined],
])('reads the date %s', (text, iso) => {
  const at = stravaTime(text)
  expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(iso)
})
