/** One small archive of each provider, in the layout of the provider: parts with a few records each. */
import { gzipSync } from 'node:zlib'
import { FitFile, fitTime, U8, U16, U32 } from '../fit/fit-file.ts'
import { csv, type Parts, zipOf } from './archive.ts'

/** A FIT file of a Garmin watch with three records, one second apart. */
export function fitActivity(start: string): Uint8Array {
  const at = fitTime(start)
  return new FitFile()
    .define(0, 0, [
      [0, 0x00],
      [1, U16],
    ])
    .data(0, 4, 1)
    .define(1, 20, [
      [253, U32],
      [3, U8],
    ])
    .data(1, at, 120)
    .data(1, at + 1, 121)
    .data(1, at + 2, 122)
    .bytes()
}

const GPX = `<gpx><trk><name>Walk</name><trkseg>
<trkpt lat="60.1" lon="24.9"><time>2024-07-01T16:00:00Z</time></trkpt>
<trkpt lat="60.2" lon="24.9"><time>2024-07-01T16:10:00Z</time></trkpt></trkseg></trk></gpx>`

/** By format. Every archive has at least one sample or summary, and a file that is not imported. */
export const EXAMPLES: Readonly<Record<string, Parts>> = {
  google_takeout: {
    'Takeout/archive_browser.html': 'x',
    'Takeout/Fitbit/Global Export Data/steps-2024-07-01.json': [{ dateTime: '07/01/24 12:00:00', value: '12' }],
    'Takeout/Fitbit/Global Export Data/calories-2024-07-01.json': [{ dateTime: '07/01/24 12:00:00', value: '1.5' }],
  },
  garmin_connect: {
    'DI_CONNECT/DI-Connect-User/user_profile.json': '{"emailAddress": "ada@example.com"}',
    'DI_CONNECT/DI-Connect-Aggregator/UDSFile_2024-07-01_2024-10-01.json': [
      { calendarDate: '2024-07-01', totalSteps: 9000 },
    ],
    'DI_CONNECT/DI-Connect-Fitness/ada@example.com_0_summarizedActivities.json': [
      {
        summarizedActivitiesExport: [
          { activityType: 'running', name: 'Run', startTimeGmt: Date.parse('2024-07-01T16:00:00Z'), duration: 2000 },
        ],
      },
    ],
    'DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part1.zip': zipOf({
      'ada@example.com_1.fit': fitActivity('2024-07-01T16:00:00Z'),
    }),
  },
  samsung_health: {
    'samsunghealth_ada_1/files/x.jpg': 'x',
    'samsunghealth_ada_1/com.samsung.shealth.tracker.oxygen_saturation.20240701120000.csv':
      'com.samsung.shealth.tracker.oxygen_saturation,6260006,3\nstart_time,time_offset,spo2\n2024-07-01 20:30:00.000,UTC+0530,96.0,\n',
  },
  whoop: {
    'journal_entries.csv': csv('Cycle start time,Question text', '2024-07-01 22:30:00,Any alcohol?'),
    'workouts.csv': csv(
      'Cycle timezone,Workout start time,Workout end time,Activity name',
      'UTC+02:00,2024-07-02 18:00:00,2024-07-02 18:50:00,Running',
    ),
  },
  strava: {
    'messages.csv': 'private',
    'activities.csv': csv(
      'Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,Max Heart Rate,' +
        'Relative Effort,Commute,Activity Private Note,Activity Gear,Filename',
      '1,"Jul 1, 2024, 4:00:00 PM",Evening walk,Walk,,600,11,,,false,,,activities/9.gpx.gz',
      '2,"Jul 2, 2024, 4:00:00 PM",Yoga,Yoga,,600,0,,,false,,,',
    ),
    'activities/9.gpx.gz': gzipSync(GPX),
  },
  oura: {
    'Subscriptions/orders.csv': 'private',
    'App Data/heartrate.csv': csv('timestamp;bpm;source', '2024-07-01T12:00:00Z;70;awake'),
    'App Data/dailyactivity.csv': csv('day;steps', '2024-07-01;9000'),
  },
  withings: {
    'userguide.pdf': 'x',
    'weight.csv': csv('Date,"Weight (kg)"', '2024-07-01 08:00:00,80'),
    'raw_tracker_steps.csv': csv('start,duration,value', '2024-07-01T10:00:00+02:00,"[60,60]","[70,72]"'),
  },
  polar_flow: {
    'account-data-1.json': '{"name": "Ada"}',
    '247ohr_2024_7-1.json': {
      deviceDays: [{ deviceId: 'A', date: '2024-07-01', samples: [{ heartRate: 60, secondsFromDayStart: 5 }] }],
    },
  },
}
