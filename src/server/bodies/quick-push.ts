/** Tells pushes that take less than 10 ms where they are from those that are for a thread, which costs some 2 ms itself. */

import type { Gathered } from './held-upload.ts'

/** Up to here nothing takes long; beyond the other, parsing alone does. */
const ALWAYS_QUICK_BYTES = 16 * 1024
const MOST_QUICK_BYTES = 256 * 1024
/** A day of a series is a row to write. */
const MOST_DAYS = 8
/** Times are looked for in so many places, each of a size that holds some items. */
const LOOKS = 32
const LOOK_BYTES = 512
const DOCUMENTS = /"(?:summar|stream)/
const DAY_OF_TIME = /\d{4}-\d\d-\d\d(?=[T ])/

/**
 * Whether it is short, or of samples alone and of few days: a day of minutes, say. A guess from the text, which is not parsed yet: it
 * decides where the push runs, not what becomes of it.
 */
export function isQuickPush({ bytes: lengthBytes, pieces }: Gathered): boolean {
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
