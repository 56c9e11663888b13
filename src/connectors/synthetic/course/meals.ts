/** Removes meals from a day whose evening was lost or shortened because of a flight. */
import type { LocalCalendar } from '../calendar.ts'
import type { LocalDay } from '../movement.ts'
import { isWithin } from '../night.ts'

/** Returns the day with only the meals for which the person is awake. */
export function withoutMissedMeals(day: LocalDay, calendar: LocalCalendar): LocalDay {
  const meals = day.plan.meals.filter(meal => {
    const at = calendar.instantAt(day.plan.dateMs, meal.minute)
    return at >= day.start && at < day.end && !day.nights.some(night => isWithin(night, at))
  })
  return { ...day, plan: { ...day.plan, meals } }
}
