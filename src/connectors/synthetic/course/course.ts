/** The course of a synthetic person's life over time: habits, illness, travel, and days without the device. */
import type { EpochMs } from '../../../core/time.ts'
import { DAY_MS } from '../../../core/time.ts'
import { clamp, LocalCalendar, rounded } from '../calendar.ts'
import type { Night } from '../night.ts'
import type { DayPlan } from '../plan.ts'
import type { Traits } from '../traits.ts'
import { drawHabits, type Habits, withHabits } from './habits.ts'
import { type Spell, Spells } from './spells.ts'
import { chooseDestination, TravelCalendar } from './travel.ts'

export interface CourseRequest {
  /** The seed for the person's random streams. */
  readonly seed: string
  readonly userId: string
  /** IANA zone identifier; null if the zone is unknown; the person then does not travel. */
  readonly home: string | null
  readonly travels: boolean
  /** Whether the person sometimes leaves the device in a drawer. */
  readonly forgets: boolean
}

/** An illness's severity on each day, as a fraction of the worst day. */
const SEVERITY = [0.6, 1, 0.9, 0.6, 0.35, 0.2] as const
/** Severity from which on the person does not train. */
const TOO_ILL = 0.15
/** Minutes by which sleep is shorter and bedtime is later on the first days in another zone. */
const JET_LAG = [
  { shorter: 55, later: 40 },
  { shorter: 30, later: 25 },
  { shorter: 15, later: 10 },
] as const

/** The course of a life. It depends only on the request and the date, not on the requested time range. */
export class LifeCourse {
  readonly habits: Habits
  readonly calendar: LocalCalendar
  private readonly illness: Spells
  private readonly trips: Spells | null
  private readonly gaps: Spells | null
  private readonly home: string | null

  constructor({ seed, userId, home, travels, forgets }: CourseRequest) {
    const kind = (name: string, blockDays: number, leastDays: number, mostDays: number): Spells =>
      new Spells({ seed, userId, name, blockDays, leastDays, mostDays })
    this.habits = drawHabits(seed, userId)
    this.home = home
    this.illness = kind('illness', 42, 4, 6)
    this.trips = travels && home !== null ? kind('trip', 40, 4, 8) : null
    this.gaps = forgets ? kind('gap', 30, 2, 5) : null
    this.calendar = this.trips && home !== null ? new TravelCalendar(home, this.trips) : new LocalCalendar(home)
  }

  traits(traits: Traits): Traits {
    return withHabits(traits, this.habits)
  }

  /** Returns whether anything was measured on a date. */
  isWorn(dateMs: EpochMs): boolean {
    return this.gaps === null || this.gaps.on(dateMs) === null
  }

  /** Returns a day's actual plan, based on the plan for an ordinary day. */
  plan(usual: DayPlan): DayPlan {
    const { dateMs, weekend } = usual
    const severity = this.severityOn(dateMs)
    const lag = this.lagOn(dateMs)
    const nightLife = weekend && this.habits.weekend === 'late_nights' ? 50 : 0
    const bedMinute = Math.round(clamp(usual.bedMinute + nightLife + (lag?.later ?? 0), -170, 140))
    const usualSleep = usual.wakeMinute - usual.bedMinute
    const sleep = clamp(usualSleep - (lag?.shorter ?? 0) - Math.round(70 * severity), 240, 590)
    const wakeMinute = Math.round(clamp(bedMinute + sleep, 300, 620))
    const isFlying = this.fliesOn(dateMs)
    const [breakfast, ...others] = usual.meals
    return {
      ...usual,
      bedMinute,
      wakeMinute,
      restingHr: usual.restingHr + 10 * severity,
      steps: usual.steps * (1 - 0.7 * severity) * this.weekendFactor(weekend) * (isFlying ? 0.8 : 1),
      workout: severity > TOO_ILL || isFlying ? null : usual.workout,
      meals: breakfast
        ? [{ ...breakfast, minute: breakfast.minute + wakeMinute - usual.wakeMinute }, ...others]
        : others,
    }
  }

  /** Returns the device's measurements in the night that ends on a date. */
  night(usual: Night, dateMs: EpochMs): Night {
    const severity = this.severityOn(dateMs)
    if (severity === 0) return usual
    return {
      ...usual,
      hrv: usual.hrv.map(each => Math.round(each * (1 - 0.3 * severity))),
      breaths: usual.breaths.map(each => rounded(each + 1.8 * severity, 1)),
      temperatureDelta: rounded(usual.temperatureDelta + 1.4 * severity, 2),
    }
  }

  illnessesWithin(firstMs: EpochMs, lastMs: EpochMs): Spell[] {
    return this.illness.within(firstMs, lastMs)
  }

  tripsWithin(firstMs: EpochMs, lastMs: EpochMs): (Spell & { readonly timeZone: string })[] {
    const { trips, home } = this
    if (trips === null || home === null) return []
    return trips.within(firstMs, lastMs).map(trip => ({ ...trip, timeZone: chooseDestination(trips, trip, home) }))
  }

  gapsWithin(firstMs: EpochMs, lastMs: EpochMs): Spell[] {
    return this.gaps === null ? [] : this.gaps.within(firstMs, lastMs)
  }

  /** Returns an illness's severity, from 0 (well) to 1 (the worst day). */
  private severityOn(dateMs: EpochMs): number {
    const spell = this.illness.on(dateMs)
    return spell === null ? 0 : (SEVERITY[(dateMs - spell.firstMs) / DAY_MS] ?? 0)
  }

  private lagOn(dateMs: EpochMs): (typeof JET_LAG)[number] | undefined {
    const { trips } = this
    if (trips === null) return undefined
    return JET_LAG.find((_, day) => {
      const [before, on] = [dateMs - (day + 1) * DAY_MS, dateMs - day * DAY_MS]
      // the first day of a trip, or the first day back home
      return (trips.on(on) === null) !== (trips.on(before) === null)
    })
  }

  /** Returns whether the person flies on this date, which is the day before the zone changes. */
  private fliesOn(dateMs: EpochMs): boolean {
    const { trips } = this
    return trips !== null && (trips.on(dateMs) === null) !== (trips.on(dateMs + DAY_MS) === null)
  }

  private weekendFactor(isWeekend: boolean): number {
    if (!isWeekend) return 1
    return this.habits.weekend === 'outdoors' ? 1.4 : this.habits.weekend === 'quiet' ? 0.75 : 1
  }
}
