/** What a person with a scale and a watch has at the stand-in of Withings, a day at a time. */
import type { WithingsPerson } from './stand-in.ts'

const DAY_S = 86_400
const HOUR_S = 3_600

/** Returns a group of measures with a weight, taken at this second. */
export function weighing(second: number) {
  const measures = [{ type: 1, value: 70_500, unit: -3 }]
  return { grpid: second, attrib: 0, date: second, modified: second, category: 1, measures }
}

/** Adds a day that begins at this second, UTC: a weight, activity with points, and the night before with its segments. */
export function addDay(person: WithingsPerson, midnight: number): void {
  const date = new Date(midnight * 1_000).toISOString().slice(0, 10)
  const timezone = 'Etc/UTC'
  const wake = midnight + 6 * HOUR_S
  const asleep = wake - 7 * HOUR_S
  person.measuregrps.push(weighing(wake + HOUR_S))
  person.activities.push({ date, timezone, steps: 8_000, distance: 6_000, calories: 400, totalcalories: 2_300 })
  for (let second = midnight + 8 * HOUR_S; second < midnight + DAY_S; second += HOUR_S) {
    person.points[String(second)] = { steps: 500, distance: 375, duration: 60, heart_rate: 70 }
  }
  const data = { total_sleep_time: 7 * HOUR_S, hr_average: 52, rr_average: 14 }
  person.nights.push({ id: wake, timezone, model: 16, startdate: asleep, enddate: wake, date, completed: true, data })
  for (const [n, state] of [1, 2, 3, 1].entries()) {
    const startdate = asleep + (n * 7 * HOUR_S) / 4
    person.segments.push({ startdate, enddate: startdate + (7 * HOUR_S) / 4, state, hr: { [startdate]: 52 } })
  }
}
