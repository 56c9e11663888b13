/** A synthetic person's history at one provider, determined by seed, user, provider and date. See docs/synthetic-data.md. */
import type { Provider } from '../../catalogue/provider.ts'
import { present } from '../../core/present.ts'
import type { SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../core/time.ts'
import { LocalCalendar, nextMultiple, rounded } from './calendar.ts'
import { simulateCheckUp } from './check-up.ts'
import { withoutMissedMeals } from './course/meals.ts'
import { preferredSourceType } from './device.ts'
import { EXTRA_RESOURCES, simulateExtras } from './extras.ts'
import type { HistoryRequest, SyntheticHistory } from './history.ts'
import { identitySummaries } from './identity.ts'
import { bolusUnits, simulateGlucose } from './metabolism.ts'
import { type Beat, type LocalDay, simulateHeartRate, simulateQuarters } from './movement.ts'
import { isWithin, type Night, simulateNight, TICK_MS, tickIndex } from './night.ts'
import { simulateElectrocardiogram, simulateWorkout, summarizeMeal } from './occasions.ts'
import { type DayPlan, planDay } from './plan.ts'
import { ProviderSeries } from './provider-series.ts'
import { type SummaryContext, summarizeActivity, summarizeBody, summarizeSleep } from './summaries.ts'
import { drawTraits, type Traits, type Wearer } from './traits.ts'
import { withStream } from './workout-stream.ts'

export type { HistoryRequest, SyntheticHistory } from './history.ts'

/**
 * Returns the whole days before `now` and the current day up to `now`. A day's data depends only on seed, user, provider, zone and date, so
 * a later call returns the same data for days that both calls cover, except for the current day. The history includes all of the provider's
 * `supportedResources` that the simulation can generate.
 */
export function syntheticHistory(request: HistoryRequest): SyntheticHistory {
  const { provider, resources: asked } = request
  const supportedResources = provider.supportedResources.filter(each => asked?.includes(each) ?? true)
  return new Person(request, { ...provider, supportedResources }).history()
}

class Person {
  private readonly calendar: LocalCalendar
  private readonly traits: Traits
  private readonly series: ProviderSeries
  private readonly summaries: SummaryRecord[] = []
  private readonly streams: StreamRecord[] = []
  private readonly request: HistoryRequest
  private readonly provider: Provider
  private readonly supported: ReadonlySet<string>

  constructor(request: HistoryRequest, provider: Provider) {
    this.request = request
    this.provider = provider
    this.supported = new Set(provider.supportedResources)
    const { course } = request
    const traits = drawTraits(request.seed, request.userId)
    this.calendar = course?.calendar ?? new LocalCalendar(request.timeZone)
    this.traits = course?.traits(traits) ?? traits
    this.series = new ProviderSeries(provider, this.calendar)
  }

  history(): SyntheticHistory {
    const { now, days = 30 } = this.request
    const today = this.calendar.dateAt(now)
    const first = today - days * DAY_MS
    let plan = this.plan(first)
    let night = this.night(plan)
    for (let dateMs = first; dateMs <= today; dateMs += DAY_MS) {
      const nextPlan = this.plan(dateMs + DAY_MS)
      const nextNight = this.night(nextPlan)
      const start = this.calendar.instantAt(dateMs, 0)
      const end = this.calendar.instantAt(dateMs + DAY_MS, 0)
      // A zone that crossed the date line skips a whole calendar date, so nothing happened on it.
      if (end > start) this.liveThrough({ plan, start, end, nights: [night, nextNight], workout: this.workout(plan) })
      plan = nextPlan
      night = nextNight
    }
    const { seed, userId } = this.request
    const person = { seed, userId, provider: this.provider, traits: this.traits, calendar: this.calendar }
    this.summaries.push(...identitySummaries({ ...person, first, today }))
    const batches = this.series.take()
    return { batches, summaries: this.summaries, streams: this.streams, from: this.calendar.instantAt(first, 0) }
  }

  private plan(dateMs: EpochMs): DayPlan {
    const { seed, userId, course } = this.request
    const usual = planDay(seed, userId, this.traits, dateMs)
    return course?.plan(usual) ?? usual
  }

  private night(plan: DayPlan): Night {
    const { course } = this.request
    const usual = simulateNight(this.wearer(this.calendar), plan)
    return course?.night(usual, plan.dateMs) ?? usual
  }

  private workout(plan: DayPlan): LocalDay['workout'] {
    if (!plan.workout) return null
    const start = this.calendar.instantAt(plan.dateMs, plan.workout.startMinute)
    return { start, end: start + plan.workout.minutes * MINUTE_MS }
  }

  private liveThrough(planned: LocalDay): void {
    const { course } = this.request
    if (course && !course.isWorn(planned.plan.dateMs)) return
    const day = course ? withoutMissedMeals(planned, this.dayCalendar(planned)) : planned
    this.move(day)
    this.sleep(day)
    this.eat(day)
    this.measure(day)
    this.live(day)
  }

  /** Adds data that only some providers supply. */
  private live(day: LocalDay): void {
    if (!EXTRA_RESOURCES.some(each => this.supported.has(each))) return
    const { now } = this.request
    for (const [resource, sample] of simulateExtras(this.wearer(this.dayCalendar(day)), day)) {
      if ((sample.end ?? sample.start) <= now) this.series.push(resource, { ...sample })
    }
  }

  private move(day: LocalDay): void {
    const { seed, now } = this.request
    const wearer = this.wearer(this.dayCalendar(day))
    const quarters = simulateQuarters(wearer, day)
    const heart = simulateHeartRate(wearer, day, quarters).filter(each => each.at <= now)
    const past = quarters.filter(each => each.end <= now)
    for (const { at, bpm } of heart) this.series.push('heartrate', { start: at, value: bpm })
    for (const { start, end, steps, decimetres, tenthsKcal, floors } of past) {
      this.series.push('steps', { start, end, value: steps })
      this.series.push('distance', { start, end, value: decimetres / 10 })
      this.series.push('calories_active', { start, end, value: tenthsKcal / 10 })
      if (floors > 0) this.series.push('floors_climbed', { start, end, value: floors })
    }
    const hourKcal = rounded(this.traits.basalKcal / 24, 1)
    for (
      let start = nextMultiple(day.start, HOUR_MS / 4);
      start + HOUR_MS <= Math.min(day.end, now);
      start += HOUR_MS
    ) {
      this.series.push('calories_basal', { start, end: start + HOUR_MS, value: hourKcal })
    }
    if (this.supported.has('activity') && day.start <= now) {
      this.summaries.push(summarizeActivity(this.context(day, 'activity'), past, heart))
    }
    if (this.supported.has('workouts') && day.workout && day.workout.end <= now) {
      const workout = simulateWorkout(this.context(day, 'workouts'), seed, quarters, heart)
      if (workout) this.train(day, workout, heart)
    }
  }

  /** Adds the workout as reported by the provider, with its stream if the provider supplies streams. */
  private train(day: LocalDay, workout: SummaryRecord, heart: readonly Beat[]): void {
    if (!this.supported.has('workout_stream')) {
      this.summaries.push(workout)
      return
    }
    const told = withStream(this.context(day, 'workouts'), this.request.seed, workout, heart)
    this.summaries.push(told.summary)
    this.streams.push(told.stream)
  }

  /** Adds the devices' measurements in both nights within the day, and the summaries of the night that ended on it. */
  private sleep(day: LocalDay): void {
    const { now } = this.request
    for (const night of day.nights) {
      const from = Math.max(nextMultiple(day.start, TICK_MS), night.firstTick)
      for (let at = from; at < day.end && at <= now && isWithin(night, at); at += TICK_MS) {
        const index = tickIndex(night, at)
        this.series.push('hrv', { start: at, value: present(night.hrv[index], 'a reading of the night') })
        if (index % 3 !== 0) continue
        this.series.push('respiratory_rate', {
          start: at,
          value: present(night.breaths[index], 'a reading of the night'),
        })
        this.series.push('blood_oxygen', { start: at, value: present(night.oxygen[index], 'a reading of the night') })
      }
    }
    const [night] = day.nights
    if (night.end > now || !this.supported.has('sleep')) return
    const [sleep, cycle] = summarizeSleep(this.context(day, 'sleep'), night)
    this.summaries.push(sleep as SummaryRecord)
    if (this.supported.has('sleep_cycle')) this.summaries.push(cycle as SummaryRecord)
  }

  private eat(day: LocalDay): void {
    const { now } = this.request
    if (this.supported.has('glucose')) {
      for (const { at, mmol } of simulateGlucose(this.wearer(this.dayCalendar(day)), day)) {
        if (at <= now) this.series.push('glucose', { start: at, value: mmol })
      }
    }
    for (const meal of day.plan.meals) {
      const at = this.calendar.instantAt(day.plan.dateMs, meal.minute)
      if (at > now) continue
      this.series.push('carbohydrates', { start: at, value: meal.carbsG })
      const bolus = { delivery_mode: 'bolus', delivery_form: 'standard', bolus_purpose: 'meal' }
      this.series.push(
        'insulin_injection',
        { start: at - 5 * MINUTE_MS, value: bolusUnits(meal), text: bolus },
        'rapid_acting',
      )
      if (this.supported.has('meal')) this.summaries.push(summarizeMeal(this.context(day, 'meal'), meal, at))
    }
  }

  private measure(day: LocalDay): void {
    const { now } = this.request
    const { pressures, morning, weightKg, fatPercent, bpm } = simulateCheckUp(this.wearer(this.dayCalendar(day)), day)
    for (const each of pressures) if (each.start <= now) this.series.push('blood_pressure', { ...each })
    if (morning + MINUTE_MS > now) return
    this.series.push('weight', { start: morning, value: weightKg })
    this.series.push('fat', { start: morning, value: fatPercent })
    if (this.supported.has('body')) {
      this.summaries.push(summarizeBody(this.context(day, 'body'), morning, weightKg, fatPercent))
    }
    if (!this.supported.has('electrocardiogram')) return
    this.summaries.push(simulateElectrocardiogram(this.context(day, 'electrocardiogram'), morning, bpm))
  }

  private dayCalendar(day: LocalDay): LocalCalendar {
    return this.calendar.ofDate(day.plan.dateMs)
  }

  private wearer(calendar: LocalCalendar): Wearer {
    const { seed, userId } = this.request
    return { seed, userId, provider: this.provider.slug, traits: this.traits, calendar }
  }

  private context(day: LocalDay, resource: string): SummaryContext {
    return {
      userId: this.request.userId,
      provider: this.provider.slug,
      sourceType: preferredSourceType(this.provider, resource),
      traits: this.traits,
      day,
      calendar: this.dayCalendar(day),
      now: this.request.now,
      supported: this.supported,
    }
  }
}
