/** Descriptions of operation groups, for /openapi.json and the reference pages. */

export const TAG_MEANINGS: Readonly<Record<string, string>> = {
  Users: 'Create, find, change and delete the users of a team.',
  'User info': 'Profile info, health insurance and sign-in tokens of users.',
  Providers: "Providers, and users' connections to them.",
  Devices: 'Devices of users.',
  Introspection: 'Pulls and available data of users.',
  Linking: "Link tokens, and linking users' accounts at providers.",
  Timeseries: 'Samples over time, grouped by provider and source.',
  Summaries: 'Activity, body, sleep, workout, meal, cycle, electrocardiogram and profile summaries.',
  Aggregate: "Statistics over a user's data, continuous queries and source priorities.",
  Labs: 'Laboratories, their markers, lab tests and lab accounts.',
  Orders: 'Lab orders, their results and documents.',
  Samples: 'Push and delete samples.',
  Imports: "Import providers' export files, and undo imports.",
  Events: 'Events, event types, and resending events.',
  Webhooks: 'Webhook endpoints, their secrets and test events.',
  Trials: 'Synthetic people and events on demand, for testing.',
  Teams: 'Teams and their API keys.',
  People: 'People who sign in to the console, and console sessions.',
  Engine: 'The engine: clock, maintenance, snapshots, recordings, faults, audit trail and deprecations.',
}
