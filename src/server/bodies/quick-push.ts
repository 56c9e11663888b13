/** Separates pushes that take less than 10 ms on the event loop from pushes that belong in a thread, which adds about 2 ms. */

import type { GatheredUpload } from './held-upload.ts'

/** Up to this size, any push is quick. Above the size below, parsing alone takes too long. */
const ALWAYS_QUICK_BYTES = 16 * 1024
const MOST_QUICK_BYTES = 256 * 1024
/** Maximum number of days in a quick push, because each day of a series is written as a row. */
const MOST_DAYS = 8
/** Number of positions in the body at which to look for times. Each part that is searched is large enough for several items. */
const LOOKS = 32
const LOOK_BYTES = 512
const DOCUMENTS = /"(?:summar|stream)/
const DAY_OF_TIME = /\d{4}-\d\d-\d\d(?=[T ])/

/**
 * Returns whether a push is short or contains only samples of a few days, such as one sample per minute for a day. The result is a guess
 * from the unparsed text. A wrong guess affects only where the push runs, not its result.
 */
export function isQuickPush({ bytes: lengthBytes, pieces }: GatheredUpload): boolean {
  if (lengthBytes <= ALWAYS_QUICK_BYTES) return true
  if (pieces === null || lengthBytes > MOST_QUICK_BYTES) return false
  const bytes = Buffer.concat(pieces, lengthBytes)
  const days = new Set<string>()
  for (let look = 0; look < LOOKS; look++) {
    const from = Math.floor((look / LOOKS) * (lengthBytes - LOOK_BYTES))
    const text = bytes.toString('latin1', from, from + LOOK_BYTES)
    const found = DAY_OF_TIME.exec(text)
    if (found === null || DOCUMENTS.test(text)) return false
    days.add(found[0])
  }
  return days.size <= MOST_DAYS
}
