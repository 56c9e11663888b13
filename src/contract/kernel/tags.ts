/** What the groups of operations are about, as /openapi.json and the reference pages say it. */

export const TAG_MEANINGS: Readonly<Record<string, string>> = {
  Users: 'People of a team: creation, finding, changes, and deletion with its grace period.',
  'User info': 'Profile, insurance and sign-in of a user.',
  Providers: 'Providers of the service, and what a user connected.',
  Devices: 'Devices that the data of a user came from.',
  Introspection: 'What was pulled for which user, and what there is.',
  Linking: "Link tokens, and the ways to link a user's account at a provider.",
  Timeseries: 'Samples over time, grouped by provider and source.',
  Summaries: 'Days, nights, workouts, meals, bodies, cycles and profiles.',
  Aggregate: "Statistics over a user's data, and the priorities of sources.",
  Labs: 'Laboratories, their markers, lab tests and lab accounts.',
  Orders: 'Lab orders, their results and documents.',
  Samples: 'Data of an application: stored and deleted.',
  Imports: 'Exports of providers, brought in and taken back.',
  Events: 'What happened to the data of users, what was sent of it, and what each type of event holds.',
  Webhooks: 'Endpoints that events are sent to, and their secrets.',
  Trials: 'What tests and trials need: people with a life, and events on demand.',
  Teams: 'Teams and their API keys.',
  Engine: 'The engine itself: clock, care, audit trail and deprecations.',
}
