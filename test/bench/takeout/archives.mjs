/** Generates archives of providers for the benchmark: the same bytes for the same number of records. */
import { ZipSink } from '../apple/apple-zip.mjs'

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2014, 0, 1)
const RECORDS_A_DAY = 8640 + 1440
const YEARS = 50

/** Numbers that vary, but are the same in each run. */
function* numbers() {
  for (let x = 1; ; ) {
    x = (x * 48_271) % 2_147_483_647
    yield x
  }
}

const two = number => String(number).padStart(2, '0')
const clock = seconds => `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
const dateOf = day => new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10)

async function add(zip, name, content) {
  await zip.begin(name)
  await zip.write(content)
  await zip.end()
}

/** Lists of a takeout of Google Health: a heart rate every ten seconds and steps every minute. */
async function googleLists(path, records) {
  const zip = new ZipSink(path)
  const random = numbers()
  const next = below => random.next().value % below
  for (let day = 0; day < records / RECORDS_A_DAY; day++) {
    const date = dateOf(day)
    const short = `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(2, 4)}`
    const rates = Array.from({ length: 8640 }, (_, i) => ({
      dateTime: `${short} ${clock(i * 10)}`,
      value: { bpm: 50 + next(100), confidence: 1 + next(3) },
    }))
    const steps = Array.from({ length: 1440 }, (_, i) => ({
      dateTime: `${short} ${clock(i * 60)}`,
      value: `${next(120)}`,
    }))
    await add(zip, `Takeout/Fitbit/Global Export Data/heart_rate-${date}.json`, JSON.stringify(rates, null, 2))
    await add(zip, `Takeout/Fitbit/Global Export Data/steps-${date}.json`, JSON.stringify(steps, null, 2))
  }
  await zip.finish()
}

/** Tables of the same takeout, a file for each month. */
async function googleTables(path, records) {
  const zip = new ZipSink(path)
  const random = numbers()
  for (let day = 0; day < records / 8640; day += 30) {
    await zip.begin(`Takeout/Google Health/Physical Activity_GoogleData/heart_rate_${dateOf(day)}.csv`)
    await zip.write('timestamp,beats per minute,data source\n')
    for (let at = day; at < Math.min(day + 30, records / 8640); at++) {
      const rows = Array.from(
        { length: 8640 },
        (_, i) => `${dateOf(at)}T${clock(i * 10)}Z,${50 + (random.next().value % 100)},Charge 6\n`,
      )
      await zip.write(rows.join(''))
    }
    await zip.end()
  }
  await zip.finish()
}

/** Daily tables of 50 years. */
async function dailyTables(path) {
  const zip = new ZipSink(path)
  const days = Array.from({ length: YEARS * 365 }, (_, day) =>
    new Date(FIRST_DAY + (day - 40 * 365) * DAY_MS).toISOString().slice(0, 10),
  )
  const night = date => `${date} 00:30:00,,UTC-04:00`
  await add(
    zip,
    'physiological_cycles.csv',
    `Cycle start time,Cycle end time,Cycle timezone,Recovery score %,Heart rate variability (ms),Energy burned (cal),Wake onset\n${days.map((date, i) => `${night(date)},${i % 100},${40 + (i % 30)},2400,${date} 07:00:00\n`).join('')}`,
  )
  await add(
    zip,
    'sleeps.csv',
    `Cycle start time,Cycle end time,Cycle timezone,Sleep onset,Wake onset,Asleep duration (min),Nap\n${days.map(date => `${night(date)},${date} 00:30:00,${date} 07:00:00,380,false\n`).join('')}`,
  )
  await zip.finish()
}

/** By name: the format of an archive, how many records it has, and how it is written. */
export const ARCHIVES = {
  'lists of Google Takeout': { format: 'google_takeout', records: 2e6, write: googleLists },
  'tables of Google Takeout': { format: 'google_takeout', records: 2e6, write: googleTables },
  [`${YEARS} years of WHOOP`]: { format: 'whoop', records: YEARS * 365 * 2, write: dailyTables, isDaily: true },
}
