/** Announced removals. An item with a date is served until that date. See docs/interface/versioning.md#versioning-2. */
import type { IsoDate } from '../core/time.ts'

export interface Deprecation {
  /** Once removed, an `operation` responds with 410, an `input` is no longer needed, and a `field` is absent. */
  readonly kind: 'operation' | 'input' | 'field'
  readonly what: string
  readonly replacedBy: string
  /** An input's operation, and its field in the query or body. */
  readonly input?: { readonly operation: string; readonly field: string }
  /** Removal date; null if the item has no date and is still served. */
  readonly removedOn: IsoDate | null
}

/** Deprecations by the name that the operations table, the engine and `svc engine deprecations` use. */
export const DEPRECATIONS = {
  is_final: {
    kind: 'field',
    what: 'is_final in historical.data.*.created events',
    replacedBy: 'nothing (the event is sent once, after all data)',
    removedOn: '2024-06-30',
  },
  source_details: {
    kind: 'field',
    what: 'name, logo and slug in the source of summaries and data events',
    replacedBy: 'source.provider, with GET /v2/providers for the rest',
    removedOn: '2024-07-31',
  },
  connection_event_source: {
    kind: 'field',
    what: 'source in provider.connection.created events',
    replacedBy: 'provider, which is identical',
    removedOn: '2024-07-31',
  },
  hypnogram_timeseries: {
    kind: 'operation',
    what: 'the hypnogram timeseries and its three events',
    replacedBy: 'the sleep_cycle summary and its events',
    removedOn: '2025-01-31',
  },
  connected_source_details: {
    kind: 'field',
    what: 'source in the connected_sources of a user',
    replacedBy: 'provider, which is identical',
    removedOn: null,
  },
  link_result_fields: {
    kind: 'field',
    what: 'provider, connected and provider_id of a link result',
    replacedBy: 'state',
    removedOn: null,
  },
  timeseries_cursor: {
    kind: 'input',
    what: 'cursor of a timeseries page',
    replacedBy: 'next_cursor',
    input: { operation: 'timeseries.grouped', field: 'cursor' },
    removedOn: null,
  },
  timeseries_next: {
    kind: 'field',
    what: 'next of a timeseries page',
    replacedBy: 'next_cursor',
    removedOn: null,
  },
  lab_tests_legacy: {
    kind: 'operation',
    what: 'GET /v3/lab_tests',
    replacedBy: 'GET /v3/lab_test',
    removedOn: null,
  },
  order_lab_test_id: {
    kind: 'input',
    what: 'lab_test_id in POST /v3/order',
    replacedBy: 'order_set.lab_test_ids',
    input: { operation: 'order.create', field: 'lab_test_id' },
    removedOn: null,
  },
  result_value: {
    kind: 'field',
    what: 'value in the results of an order',
    replacedBy: 'result, read according to result_type',
    removedOn: null,
  },
  requisition_form_url: {
    kind: 'field',
    what: 'requisition_form_url of an order',
    replacedBy: 'GET /v3/order/{order_id}/requisition/pdf',
    removedOn: null,
  },
} as const satisfies Record<string, Deprecation>

export type DeprecationName = keyof typeof DEPRECATIONS

/** `name`, `logo` and `slug`, besides the provider, in the source of a summary or a data event. */
export const SOURCE_DETAILS: Deprecation = DEPRECATIONS.source_details

/**
 * The date on which every dated removal counts as announced. The interface does not document announcement dates; all of its removal dates
 * are later than this one.
 */
export const ANNOUNCED_ON: IsoDate = '2024-01-01'

/** Returns whether an item is still served at a compatibility date. */
export function isServed(deprecation: Deprecation, at: IsoDate): boolean {
  return deprecation.removedOn === null || at < deprecation.removedOn
}
