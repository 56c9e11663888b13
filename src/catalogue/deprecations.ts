/** What was announced to go, as data (interface.md 9.3): a dated thing is served while its day is still to come. */
import type { IsoDate } from '../core/time.ts'

export interface Deprecation {
  readonly what: string
  readonly replacedBy: string
  /** The day it was removed; null: not dated, and still served. */
  readonly removedOn: IsoDate | null
}

/** `name`, `logo` and `slug` beside the provider in the source of a summary or a data event. */
export const SOURCE_DETAILS: Deprecation = {
  what: 'name, logo and slug in the source of summaries and data events',
  replacedBy: 'source.provider, and GET /v2/providers for the rest',
  removedOn: '2024-07-31',
}

/** Whether it is still served at a compatibility date. */
export function isServed(deprecation: Deprecation, at: IsoDate): boolean {
  return deprecation.removedOn === null || at < deprecation.removedOn
}
