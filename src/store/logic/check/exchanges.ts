/** Checks the stored requests and responses of delivery attempts. Their seal shows whether the content is intact. */
import type { StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import { isThere } from './pages.ts'
import { defineTraversal, findProblems } from './traversal.ts'

export function checkExchanges(db: Database): AsyncIterable<StoreProblem> {
  return findProblems(db, EXCHANGES)
}

const EXCHANGES = defineTraversal({
  what: 'delivery_exchange',
  table: 'delivery_exchange',
  joins: `LEFT JOIN delivery ON delivery.user_id=delivery_exchange.user_id AND delivery.sequence=delivery_exchange.sequence
    AND delivery.endpoint_id=delivery_exchange.endpoint_id`,
  key: ['user_id', 'sequence', 'endpoint_id', 'number'],
  columns: {
    user_id: 'text',
    sequence: 'number',
    endpoint_id: 'text',
    number: 'number',
    has_delivery: 'number',
    attempts: 'number?',
  },
  computed: { has_delivery: isThere('delivery.user_id'), attempts: 'delivery.attempts' },
  nameOf: row => `the stored request and response of attempt ${row.number} to deliver event ${row.sequence}`,
  faults: row => [
    // while an endpoint is being removed, its deliveries are removed first
    ...(row.number >= 1 && (!row.has_delivery || row.number <= (row.attempts ?? 0))
      ? []
      : ['there is no attempt with its number']),
  ],
})
