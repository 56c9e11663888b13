/** The console pages to take pictures of: the URL, and the actions before the picture. */

const query = {
  timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'day', value: 21 } },
  queries: [
    {
      select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate', field: 'value' } }],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
    },
  ],
}

const press = name => async page => {
  await page.getByRole('button', { name, exact: true }).click()
}

/** Shown in docs/console.md. */
export const PAGES = {
  overview: { at: () => '/console' },
  users: { at: () => '/console/users' },
  user: { at: ({ user }) => `/console/users/${user}` },
  data: { at: ({ sensor }) => `/console/data?user=${sensor}&resource=glucose` },
  sleep: { at: ({ sleeper }) => `/console/data?user=${sleeper}&resource=sleep` },
  query: {
    at: ({ sleeper }) => `/console/query?user=${sleeper}&query=${encodeURIComponent(JSON.stringify(query, null, 2))}`,
    act: press('Run'),
  },
  events: { at: () => '/console/events' },
  event: { at: ({ event }) => `/console/events/${event}` },
  endpoint: { at: ({ endpoint }) => `/console/events/endpoints/${endpoint}` },
  labs: { at: () => '/console/labs' },
  order: { at: ({ order }) => `/console/labs/orders/${order}` },
  import: { at: ({ user }) => `/console/import?user=${user}` },
  engine: { at: () => '/console/engine' },
  operation: { at: () => '/console/reference/user.create' },
}

/** Only for viewing. */
export const OTHER_PAGES = {
  day: { at: ({ sleeper }) => `/console/data/day?user=${sleeper}&day=2026-11-19` },
  charts: { at: ({ sleeper }) => `/console/query/charts?user=${sleeper}` },
  people: { at: () => '/console/engine/people' },
  heartrate: { at: ({ sleeper }) => `/console/data?user=${sleeper}&resource=heartrate` },
  workouts: { at: ({ sleeper }) => `/console/data?user=${sleeper}&resource=workouts` },
  explain: {
    at: ({ sleeper }) => `/console/query?user=${sleeper}&query=${encodeURIComponent(JSON.stringify(query, null, 2))}`,
    act: press('Explain'),
  },
  endpoints: { at: () => '/console/events/endpoints' },
  orders: { at: () => '/console/labs/orders' },
  faults: { at: () => '/console/engine/faults' },
  snapshots: { at: () => '/console/engine/snapshots' },
  recordings: { at: () => '/console/engine/recordings' },
  jobs: { at: () => '/console/engine/jobs' },
  audit: { at: () => '/console/engine/audit' },
  clock: { at: () => '/console/engine/clock' },
  providers: { at: () => '/console/engine/providers' },
  reference: { at: () => '/console/reference' },
}
