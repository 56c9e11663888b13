/** The table for counters. */
import { table } from './table.ts'

/**
 * Counts of what processes did for a team, by hour. `hour` is the start of an hour of real time, and `subject` an endpoint, a provider, or
 * empty. Processes add their counts once a minute (logic/counters.ts).
 */
export const COUNTER = table({
  name: 'counter',
  owner: 'team',
  life: 'staying',
  columns: {
    team_id: 'text',
    hour: 'number',
    name: 'text',
    subject: 'text',
    n: { type: 'number', tellsChange: true },
  },
  key: ['team_id', 'hour', 'name', 'subject'],
  indexes: { counter_by_hour: '(hour)' },
})
