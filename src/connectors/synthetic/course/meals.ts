/** The meals of a day whose evening a flight turned into a night, or cut off. */
import type { LocalCalendar } from '../calendar.ts'
import type { LocalDay } from '../movement.ts'
import { isWithin } from '../night.ts'

/** The day with the meals that fall into it while the person is awake. */
export function withoutMissedMeals(day: LocalDay, calendar: LocalCalendar): LocalDay {
  const meals = day.plan.meals.filter(meal => {
    const at = calendar.instantAt(day.plan.dateMs, meal.minute)
    return at >= day.start && at < day.end && !day.nights.some(night => isWithin(night, at))
  })
  return { ...day, plan: { ...day.plan, meals } }
}
