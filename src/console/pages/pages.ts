/** The console's pages, with their URLs and the code to load when they are opened. */
import { lazy } from '../shell/lazy-page.tsx'

export const PAGES = [
  { path: '/console', page: lazy(() => import('./overview/overview-page.tsx')) },
  { path: '/console/users', page: lazy(() => import('./users/users-page.tsx')) },
  { path: '/console/users/:userId', page: lazy(() => import('./users/user-page.tsx')) },
  { path: '/console/data', page: lazy(() => import('./data/data-page.tsx')) },
  { path: '/console/data/day', page: lazy(() => import('./data/day/day-page.tsx')) },
  { path: '/console/query', page: lazy(() => import('./query/query-page.tsx')) },
  { path: '/console/query/charts', page: lazy(() => import('./query/charts-page.tsx')) },
  { path: '/console/events', page: lazy(() => import('./events/events-page.tsx')) },
  { path: '/console/events/endpoints', page: lazy(() => import('./events/endpoints-page.tsx')) },
  { path: '/console/events/endpoints/:endpointId', page: lazy(() => import('./events/endpoint-page.tsx')) },
  { path: '/console/events/:eventId', page: lazy(() => import('./events/event-page.tsx')) },
  { path: '/console/labs', page: lazy(() => import('./labs/labs-page.tsx')) },
  { path: '/console/labs/orders', page: lazy(() => import('./labs/orders-page.tsx')) },
  { path: '/console/labs/orders/:orderId', page: lazy(() => import('./labs/order-page.tsx')) },
  { path: '/console/import', page: lazy(() => import('./import/import-page.tsx')) },
  { path: '/console/engine', page: lazy(() => import('./engine/engine-page.tsx')) },
  { path: '/console/engine/:part', page: lazy(() => import('./engine/engine-page.tsx')) },
  { path: '/console/reference', page: lazy(() => import('./reference/reference-page.tsx')) },
  { path: '/console/reference/:operation', page: lazy(() => import('./reference/reference-page.tsx')) },
  // no menu has this page (docs/console-design.md)
  { path: '/console/design', page: lazy(() => import('./design/design-page.tsx')) },
] as const
