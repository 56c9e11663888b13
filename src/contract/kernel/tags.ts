/** What the groups of operations are about, as /openapi.json and the reference pages say it. */

export const TAG_MEANINGS: Readonly<Record<string, string>> = {
  Users: 'Users of a team: create, find, change and delete.',
  'User info': 'Profile, insurance and sign-in of a user.',
  Providers: 'Providers, and the connections of users.',
  Devices: 'Devices of a user.',
  Introspection: 'Pulls and data of users.',
  Linking: "Link tokens, and linking a user's account at a provider.",
  Timeseries: 'Samples over time, grouped by provider and source.',
  Summaries: 'Days, nights, workouts, meals, bodies, cycles and profiles.',
  Aggregate: "Statistics over a user's data, and the priorities of sources.",
  Labs: 'Laboratories, their markers, lab tests and lab accounts.',
  Orders: 'Lab orders, their results and documents.',
  Samples: 'Data pushed by an application.',
  Imports: 'Import export files of providers, and undo imports.',
  Events: 'Events, their deliveries, and event types.',
  Webhooks: 'Webhook endpoints and their secrets.',
  Trials: 'Synthetic people and events on demand, for tests.',
  Teams: 'Teams and their API keys.',
  Engine: 'The engine: clock, maintenance, audit trail and deprecations.',
}
