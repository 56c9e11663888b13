/** Gives the people at the fake providers varied days and nights, each in its provider's format. */
import type { DexcomAccount } from '../dexcom/dexcom.ts'
import { type GoogleHealthPerson, interval } from '../google-health/person.ts'
import type { OuraPerson } from '../oura/oura.ts'
import type { PolarPerson } from '../polar/polar-data.ts'
import type { WhoopPerson } from '../whoop/whoop-data.ts'
import type { WithingsPerson } from '../withings/withings.ts'
import { MINUTE_MS, type Stage, type VariedDay, variedDay } from './day.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const iso = (ms: number): string => new Date(ms).toISOString()
const variedDate = (date: string): VariedDay => variedDay(Date.parse(`${date}T00:00:00Z`))

/** Adds the night before a day, with its scores. */
export function addOuraNight(person: OuraPerson, at: number): void {
  const { date: day, night } = variedDay(at)
  const { start, end, parts, seconds } = night
  const codes: Readonly<Record<Stage, string>> = { deep: '1', light: '2', rem: '3', awake: '4' }
  const add = (
    name: string,
    document: { readonly id: string; readonly day: string } & Record<string, unknown>,
  ): void => {
    person.documents[name] ??= []
    person.documents[name].push(document)
  }
  add('sleep', {
    id: `sleep-${day}`,
    day,
    type: 'long_sleep',
    bedtime_start: iso(start),
    bedtime_end: iso(end),
    time_in_bed: (end - start) / 1_000,
    total_sleep_duration: seconds.light + seconds.deep + seconds.rem,
    awake_time: seconds.awake,
    light_sleep_duration: seconds.light,
    rem_sleep_duration: seconds.rem,
    deep_sleep_duration: seconds.deep,
    efficiency: Math.round(100 - (100_000 * seconds.awake) / (end - start)),
    lowest_heart_rate: night.lowestBpm,
    average_heart_rate: night.averageBpm,
    average_hrv: night.hrvMs,
    sleep_phase_5_min: parts
      .map(({ stage, ...part }) => codes[stage].repeat((part.end - part.start) / (5 * MINUTE_MS)))
      .join(''),
  })
  add('daily_sleep', { id: `daily-sleep-${day}`, day, score: night.score })
  add('daily_readiness', { id: `readiness-${day}`, day, score: night.readiness })
}

/** Adds the activity of a day, its weight, and the night before it. */
export function addWithingsDay(person: WithingsPerson, at: number): void {
  const { date, night, ...day } = variedDay(at)
  const timezone = 'Etc/UTC'
  const second = (ms: number): number => Math.floor(ms / 1_000)
  const [startdate, enddate] = [second(night.start), second(night.end)]
  const weighed = enddate + 1_800
  const measures = [{ type: 1, value: Math.round(day.weightKg * 1_000), unit: -3 }]
  person.measuregrps.push({ grpid: weighed, attrib: 0, date: weighed, modified: weighed, category: 1, measures })
  person.activities.push({
    date,
    timezone,
    steps: day.steps,
    distance: day.distanceMeters,
    calories: day.activeKcal,
    totalcalories: 1_800 + day.activeKcal,
  })
  for (let hour = 9; hour < 23; hour++) {
    const share = { steps: Math.round(day.steps / 14), distance: Math.round(day.distanceMeters / 14), duration: 600 }
    person.points[String(second(at) + hour * 3_600)] = { ...share, heart_rate: night.averageBpm + 15 + (hour % 5) * 4 }
  }
  const data = {
    total_timeinbed: enddate - startdate,
    total_sleep_time: night.seconds.light + night.seconds.deep + night.seconds.rem,
    wakeupduration: night.seconds.awake,
    lightsleepduration: night.seconds.light,
    deepsleepduration: night.seconds.deep,
    remsleepduration: night.seconds.rem,
    hr_average: night.averageBpm,
    hr_min: night.lowestBpm,
    rr_average: 14,
    sleep_score: night.score,
  }
  person.nights.push({ id: enddate, timezone, model: 16, startdate, enddate, date, completed: true, data })
  const states: Readonly<Record<Stage, number>> = { awake: 0, light: 1, deep: 2, rem: 3 }
  for (const { stage, start, end } of night.parts) {
    const from = second(start)
    person.segments.push({
      startdate: from,
      enddate: second(end),
      state: states[stage],
      hr: { [from]: night.averageBpm },
    })
  }
}

/** Varies the nights, recoveries and cycles. */
export function varyWhoop(person: WhoopPerson): void {
  const scored = <T extends { readonly [field: string]: unknown }>(record: T, score: object): T => ({
    ...record,
    score: { ...(record['score'] as object), ...score },
  })
  const wakingOf = (start: string): VariedDay => variedDay(Date.parse(start) + 8 * HOUR_MS)
  person.sleeps = person.sleeps.map(sleep => {
    const { night } = wakingOf(sleep.start)
    const milli = (stage: Stage): number => night.seconds[stage] * 1_000
    const stages = {
      ...(sleep['score'] as { readonly stage_summary: object }).stage_summary,
      total_in_bed_time_milli: night.end - night.start,
      total_awake_time_milli: milli('awake'),
      total_light_sleep_time_milli: milli('light'),
      total_slow_wave_sleep_time_milli: milli('deep'),
      total_rem_sleep_time_milli: milli('rem'),
    }
    const end = iso(Date.parse(sleep.start) + night.end - night.start)
    return scored({ ...sleep, end }, { stage_summary: stages, sleep_performance_percentage: night.score })
  })
  person.recoveries = person.recoveries.map(recovery => {
    const { night } = variedDay(Date.parse(recovery.created_at))
    const score = {
      recovery_score: night.readiness,
      resting_heart_rate: night.lowestBpm,
      hrv_rmssd_milli: night.hrvMs + 0.4,
    }
    return scored(recovery, score)
  })
  person.cycles = person.cycles.map(cycle => {
    const { activeKcal, night } = wakingOf(cycle.start)
    return scored(cycle, { kilojoule: (1_800 + activeKcal) * 4.184, average_heart_rate: night.averageBpm + 14 })
  })
}

/** Varies the activities and the nights. */
export function varyPolar(person: PolarPerson): void {
  person.activities = person.activities.map(activity => {
    const { steps, activeKcal, distanceMeters } = variedDate(activity.date)
    const share = (hour: number): number => (hour < 7 ? 0 : Math.floor(steps / 17) + (hour === 23 ? steps % 17 : 0))
    const samples = Array.from({ length: 24 }, (_, hour) => ({
      steps: share(hour),
      timestamp: `${activity.date}T${String(hour).padStart(2, '0')}:00:00`,
    }))
    return {
      ...activity,
      steps,
      calories: 1_800 + activeKcal,
      active_calories: activeKcal,
      distance_from_steps: distanceMeters,
      samples: { date: activity.date, steps: { interval_ms: HOUR_MS, total_steps: steps, samples } },
    }
  })
  const clock = (ms: number): string => iso(ms).slice(11, 16)
  const codes: Readonly<Record<Stage, number>> = { awake: 0, rem: 1, light: 3, deep: 4 }
  person.nights = person.nights.map(found => {
    const { night } = variedDate(found.date)
    const { start, end, parts, seconds } = night
    return {
      ...found,
      sleep_start_time: iso(start).replace('.000Z', '+00:00'),
      sleep_end_time: iso(end).replace('.000Z', '+00:00'),
      light_sleep: seconds.light,
      deep_sleep: seconds.deep,
      rem_sleep: seconds.rem,
      total_interruption_duration: seconds.awake,
      sleep_score: night.score,
      hypnogram: Object.fromEntries(parts.map(part => [clock(part.start), codes[part.stage]])),
      heart_rate_samples: Object.fromEntries(
        parts.map((part, i) => [clock(part.start), i === 3 ? night.lowestBpm : night.averageBpm + (i % 3)]),
      ),
    }
  })
  person.recharges = person.recharges.map(recharge => {
    const { night } = variedDate(recharge.date)
    return { ...recharge, heart_rate_avg: night.averageBpm, heart_rate_variability_avg: night.hrvMs }
  })
}

/** Varies steps, nights and weights. */
export function varyGoogleHealth(person: GoogleHealthPerson): void {
  const dates = Object.keys(person.days['steps'] ?? {})
  person.days['steps'] = Object.fromEntries(dates.map(date => [date, { countSum: String(variedDate(date).steps) }]))
  const at = (point: { readonly body: Readonly<Record<string, unknown>> }, field: string): number =>
    Date.parse(String((point.body[field] as Readonly<Record<string, unknown>>)['startTime']))
  person.points['steps'] = (person.points['steps'] ?? []).map(point => {
    // 48 quarters of an hour have steps
    const steps = Math.round(variedDay(at(point, 'interval')).steps / 48)
    return { ...point, body: { ...point.body, count: String(steps) } }
  })
  person.points['sleep'] = (person.points['sleep'] ?? []).map(point => {
    const { night } = variedDate(point.id?.slice('sleep-'.length) ?? '')
    const stages = night.parts.map(({ stage, start, end }) => ({
      startTime: iso(start),
      endTime: iso(end),
      type: stage.toUpperCase(),
    }))
    return { ...point, body: { ...point.body, interval: interval(night.start, night.end), stages } }
  })
  person.points['weight'] = (person.points['weight'] ?? []).map(point => {
    const { weightKg } = variedDate(point.id?.slice('weight-'.length) ?? '')
    return { ...point, body: { ...point.body, weightGrams: Math.round(weightKg * 1_000) } }
  })
}

/** Varies glucose: it rises after three meals, more on some days than on others. Dexcom has no nights. */
export function varyDexcom(account: DexcomAccount): void {
  for (const [i, record] of account.egvs.entries()) {
    const at = Date.parse(`${record.systemTime}Z`)
    const day = variedDay(at)
    const hour = (at % DAY_MS) / HOUR_MS
    const rise = [7, 12, 18].reduce((sum, meal) => sum + Math.exp(-(((hour - meal - 1) / 1.2) ** 2)), 0)
    const value = Math.round(84 + (day.night.averageBpm - 50) * 1.5 + rise * (30 + (day.steps % 40)))
    account.egvs[i] = { ...record, value }
  }
  for (const [i, event] of account.events.entries()) {
    const { steps } = variedDay(Date.parse(`${event.systemTime}Z`))
    account.events[i] = { ...event, value: String(30 + (steps % 50)) }
  }
}
