/** Limits on providers' responses. Every provider's largest real page is well below them (docs/live-providers.md#limits). */

/** Limits on one response. They apply while the response is read, so a response that exceeds them is never parsed. */
export interface ResponseLimits {
  /** Number of unpacked bytes. */
  readonly bytes: number
  /** Number of opening brackets, commas and colons in the JSON, which is at least the number of its values. */
  readonly values: number
  /** Nesting depth of objects and lists. */
  readonly depth: number
  /** Number of bytes in one string, as sent. */
  readonly textBytes: number
}

const KIB = 1024
const MIB = 1024 * KIB

/** Limits on a page of data. A 24-hour route from Polar has 950,000 values, and 10,000 points from Google Health have 500,000. */
export const PAGE_LIMITS: ResponseLimits = { bytes: 32 * MIB, values: 1_500_000, depth: 64, textBytes: 2 * MIB }
/** Limits on everything else: tokens, profiles, subscriptions, keys. */
export const SHORT_LIMITS: ResponseLimits = { bytes: MIB, values: 20_000, depth: 32, textBytes: 64 * KIB }
/** Number of bytes to read from a failed response, which are enough to find the cause. */
export const FAILURE_BYTES = 64 * KIB

/** Maximum number of records on one page. The largest real page has 10,000 points, from Google Health. */
export const MOST_RECORDS = 20_000
/** Maximum number of requests for one window of a collection; a page may need one request for each of its records. */
export const MOST_REQUESTS = 2_000
/** Maximum number of requests for one collection in 24 hours. */
export const MOST_REQUESTS_A_DAY = 20_000
/** Maximum number of pages in one list. */
export const MOST_PAGES = 500
/** Number of consecutive empty pages after which a list counts as endless. */
export const MOST_EMPTY_PAGES = 20
/** Maximum length of a provider's next-page token, in characters. */
export const MOST_CURSOR_LENGTH = 4 * KIB
