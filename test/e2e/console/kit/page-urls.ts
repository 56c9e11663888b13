/** URLs of every page of the console, with data in them. */
import { expect } from 'vitest'
import type { Filled } from './filled.ts'

const ENGINE_PARTS = ['status', 'clock', 'jobs', 'providers', 'faults', 'snapshots', 'recordings', 'audit', 'people']

/** Returns the URLs for a page of the router; a page that needs an ID gets an existing one. */
export function pageUrls(path: string, filled: Filled): readonly string[] {
  const { userId, seededId, eventId, endpointId, orderId } = filled
  const known: Readonly<Record<string, readonly string[]>> = {
    '/console/users/:userId': [`/console/users/${userId}`, `/console/users/${seededId}`],
    '/console/data': ['/console/data', `/console/data?user=${userId}`, `/console/data?user=${seededId}`],
    '/console/data/day': ['/console/data/day', `/console/data/day?user=${seededId}`],
    '/console/query': ['/console/query', `/console/query?user=${seededId}`],
    '/console/query/charts': ['/console/query/charts', `/console/query/charts?user=${seededId}&show=steps-a-day`],
    '/console/events': ['/console/events', '/console/events?state=dead&since=2020-01-01&until=2020-01-02'],
    '/console/events/endpoints/:endpointId': [`/console/events/endpoints/${endpointId}`],
    '/console/events/:eventId': [`/console/events/${eventId}`],
    '/console/labs/orders/:orderId': [`/console/labs/orders/${orderId}`],
    '/console/engine/:part': ENGINE_PARTS.map(part => `/console/engine/${part}`),
    '/console/reference/:operation': ['/console/reference/user.create', '/console/reference/timeseries.grouped'],
  }
  const urls = known[path] ?? [path]
  for (const url of urls) expect(url, 'an address with data for the page').not.toContain(':')
  return urls
}
