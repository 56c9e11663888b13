/** Prints many floating times fast: neighbours mostly share their day, so its text is kept. */
import { DAY_MS, type EpochMs, formatDate, HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts'

const TWO = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
let keptDay = Number.NaN
let keptText = ''

/** `YYYY-MM-DDTHH:MM:SS`, with `.mmm` when the milliseconds are not zero: what `formatFloating` of core prints. */
export function floatingText(local: EpochMs): string {
  const day = Math.floor(local / DAY_MS)
  if (day !== keptDay) {
    keptDay = day
    keptText = formatDate(day * DAY_MS)
  }
  const within = local - day * DAY_MS
  const hour = TWO[Math.floor(within / HOUR_MS)]
  const minute = TWO[Math.floor((within % HOUR_MS) / MINUTE_MS)]
  const second = TWO[Math.floor((within % MINUTE_MS) / SECOND_MS)]
  const ms = Math.floor(within % SECOND_MS)
  return `${keptText}T${hour}:${minute}:${second}${ms === 0 ? '' : `.${String(ms).padStart(3, '0')}`}`
}
