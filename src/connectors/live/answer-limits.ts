/** What the answers of providers may be at most. Every provider's largest real page is well below (docs/live-providers.md#limits). */

/** Limits of one answer. They hold while it is read: one that is beyond them is never parsed. */
export interface AnswerLimits {
  /** Bytes, unpacked. */
  readonly bytes: number
  /** Brackets that open, commas and colons of the JSON, which are at least as many as its values. */
  readonly values: number
  /** Objects and lists within one another. */
  readonly depth: number
  /** Bytes of one text, as it is sent. */
  readonly textBytes: number
}

const KIB = 1024
const MIB = 1024 * KIB

/** Of a page of data. A route of 24 hours at Polar has 950,000 values, and 10,000 points at Google Health have 500,000. */
export const PAGE_LIMITS: AnswerLimits = { bytes: 32 * MIB, values: 1_500_000, depth: 64, textBytes: 2 * MIB }
/** Of everything else: tokens, profiles, subscriptions, keys. */
export const SHORT_LIMITS: AnswerLimits = { bytes: MIB, values: 20_000, depth: 32, textBytes: 64 * KIB }
/** Bytes that are read of an answer whose status says that it failed. What follows is not needed to know why. */
export const FAILURE_BYTES = 64 * KIB

/** Records on one page. 10,000 points at Google Health are the most. */
export const MOST_RECORDS = 20_000
/** Requests that one window of a collection may take: a page may take one for each of its records. */
export const MOST_REQUESTS = 2_000
/** Requests that one collection may take in 24 hours. */
export const MOST_REQUESTS_A_DAY = 20_000
/** Pages of one list. */
export const MOST_PAGES = 500
/** Pages in a row that bring nothing, after which a list is taken to have no end. */
export const MOST_EMPTY_PAGES = 20
/** Characters of what a provider names the next page with. */
export const MOST_CURSOR_LENGTH = 4 * KIB
