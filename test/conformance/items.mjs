/**
 * Every numbered item of the interface specification, in its order, with what shows it. A reference is `step:NAME` (a step of the
 * conversation that is held embedded, over HTTP and through a validating proxy) or `FILE > TITLE`, FILE below test/ without its
 * `.test.ts`. scripts/conformance.mjs makes docs/conformance.md of it and refuses a row without a test, and tests that are not there.
 */

/** @type {readonly import('./items.d.mts').Chapter[]} */
export const chapters = [
  {
    title: '1. What the service does',
    items: [
      ['1.1', 'Users of a team, known by user_id and client_user_id', ['step:create a user', 'step:resolve']],
      [
        '1.2',
        'Providers linked by user name and password, with a second step for codes',
        [
          'step:sign in',
          'step:the right code',
          'server/pages/link-pages > signs in with a password and leads back with state=success',
        ],
      ],
      ['1.3', 'Stored timeseries, grouped by provider, for a user and a range', ['step:steps']],
      [
        '1.4',
        'Aggregate queries as JSON tables or Parquet files',
        [
          'step:aggregate',
          'step:aggregate as Parquet',
          'engine/aggregate/shapes > shape 10: one column under several functions is named by the function alone',
        ],
      ],
      [
        '1.5',
        'A catalogue of labs and markers with expected results and LOINC codes',
        ['step:labs', 'step:markers', 'catalogue/markers > has a right check digit in every code, each code once'],
      ],
      [
        '1.6',
        'Profile info of a user, a closed beta',
        ['step:info', 'engine/teams > answers 403 to a team that has it switched off, and to no other'],
      ],
      [
        '1.7',
        'Events when data come or change, pulls end and connections are made',
        ['engine/event-documents > of a link are the connection first, then once for each resource that was pulled'],
      ],
    ],
  },
  {
    title: '2. Resources and their fields',
    items: [
      [
        '2.1',
        'User: every field',
        [
          'step:create a user',
          'engine/users > are created with what was asked for, and a second one with the same client_user_id is refused',
        ],
      ],
      ['2.1 user_id', 'Issued at creation, used by all later calls', ['step:create a user', 'step:get it']],
      ['2.1 team_id', 'The team of the key', ['step:who is calling', 'engine/teams > sees nothing of another']],
      [
        '2.1 client_user_id',
        'Unique in the team',
        ['step:create it again', 'step:resolve', 'step:give it the name of another'],
      ],
      [
        '2.1 connected_sources',
        'The connected providers, as provider and as source',
        ['step:connections', 'e2e/vital-client > lists the connected providers'],
      ],
      [
        '2.1 fallback_time_zone',
        'Zone with its source and time of change',
        ['step:create a user', 'step:clear its zone', 'engine/users > keep a time zone in its usual spelling'],
      ],
      [
        '2.1 fallback_birth_date',
        'Birth date with its source and time of change',
        ['step:create a user', 'engine/user-patch > changes what it names, and answers nothing'],
      ],
      [
        '2.1 ingestion_start',
        'Nothing from before it is taken',
        [
          'step:create another',
          'engine/connections > never deletes data, whatever the bounds become',
          'engine/refresh > keeps to the bounds of ingestion',
        ],
      ],
      [
        '2.1 ingestion_end',
        'A week for late data, then every connection is paused',
        [
          'step:end it before it starts',
          'engine/connections > leaves a week for late data, and then pauses every connection',
          'engine/connections > can be moved until then, and be taken away',
          'engine/connections > that is moved after the pause needs a new link',
        ],
      ],
      [
        '2.2',
        'Provider entry: every field',
        [
          'step:connections',
          'engine/links > connects, echoes the redirect URL, and has pulled the history when it answers',
        ],
      ],
      [
        '2.2 status',
        'connected, error, paused',
        [
          'step:connections',
          'step:connections, one in error',
          'engine/connections > that fails says what happened, with an event, and a new link brings it back',
          'engine/connections > leaves a week for late data, and then pauses every connection',
        ],
      ],
      [
        '2.2 resource_availability',
        'available or unavailable by the required scopes',
        [
          'catalogue/providers > decide what is available: a resource goes with a scope that it cannot do without',
          'engine/link-oauth > brings no data of what was denied',
        ],
      ],
      [
        '2.2 scope_requirements',
        'Granted and denied scopes, required and optional',
        ['engine/link-oauth > connects with what was granted, and takes the account as the external id'],
      ],
      [
        '2.2 error_details',
        'What happened, of what type, when',
        [
          'step:connections, one in error',
          'step:fail a connection',
          'engine/connections > fails with a text of its own type where none is given, and anew each time',
        ],
      ],
      [
        '2.3',
        'User info: base fields, address, optional fields',
        [
          'step:set info',
          'step:info',
          'contract/user-info > needs the seven base fields',
          'engine/user-info > is answered as it was set, completed, and replaced as a whole',
        ],
      ],
      [
        '2.3 enums',
        'race, ethnicity, sexual_orientation, gender_identity, open for more',
        ['contract/user-info > keeps values of the four enums that are not listed, and a guarantor'],
      ],
      [
        '2.3 medical_proxy',
        'Who vouches for a minor',
        [
          'engine/user-info > holds who vouches for a minor',
          'step:order for a child',
          'engine/orders > not for a child somebody vouches for',
        ],
      ],
      [
        '2.4',
        'Groups by provider slug, each with its source and points',
        [
          'step:steps',
          'engine/timeseries-resources > stand apart by provider, source type, app, device, sport and workout',
        ],
      ],
      [
        '2.4 next_cursor',
        'The next page, null at the end; next says the same',
        [
          'step:more steps',
          'engine/timeseries > walked to the end equal one read of everything',
          'engine/timeseries-walk > repeats and skips nothing that was there before, while another connection writes between the pages',
        ],
      ],
      [
        '2.4 point',
        'start, end, unit, value',
        [
          'engine/timeseries-resources > $name comes back as it was written: $kind, $unit $extra',
          'contract/openapi > gives every timeseries resource a path of its own with its unit as a literal',
        ],
      ],
      [
        '2.5',
        'Link result: every field',
        [
          'step:sign in',
          'step:sign in with a wrong password',
          'step:sign in with a code',
          'e2e/vital-client > links a password provider, with a wrong and then the right password',
        ],
      ],
      [
        '2.5 redirect_url',
        'As the link token was given it',
        [
          'step:sign in',
          'engine/links > connects, echoes the redirect URL, and has pulled the history when it answers',
        ],
      ],
      ['2.5 error_type', 'Only in state error', ['step:sign in with a wrong password', 'step:sign in']],
      [
        '2.5 provider_mfa',
        'Only while a code is waited for: method and hint',
        ['step:sign in with a code', 'step:sign in with a code by mail'],
      ],
      [
        '2.6',
        'Lab: every field',
        ['step:labs', 'catalogue/markers > are at least eight, with unique ids and slugs and every field'],
      ],
      [
        '2.7',
        'Marker, expected results and LOINC: every field',
        [
          'step:markers',
          'catalogue/markers > have every field, prices as text, and expected results with a LOINC code of the table',
        ],
      ],
      [
        '2.7 page',
        'markers, total, page, size',
        ['step:markers past the end', 'engine/labs > are paged, with totals that agree'],
      ],
    ],
  },
  {
    title: '3. States and transitions',
    items: [
      [
        '3 undo',
        'A deletion in its grace period is undone; connections do not come back',
        [
          'step:undo the deletion',
          'engine/users > can be brought back within 7 days, and not after',
          'e2e/vital-client > deletes a user and takes it back',
        ],
      ],
      [
        '3 refused',
        'Not once a new user holds the client_user_id',
        [
          'engine/users > cannot be brought back once a new user holds the client_user_id',
          'engine/undo-race > raced by a re-creation leaves each client_user_id with exactly one active user',
        ],
      ],
      [
        '3 link',
        'not linked, pending, success or error',
        [
          'step:sign in with a code',
          'step:a wrong code',
          'step:the right code',
          'engine/links > is void after five wrong codes',
        ],
      ],
      [
        '3 connection',
        'connected, error, paused, removed, linked again',
        [
          'engine/connections > that fails says what happened, with an event, and a new link brings it back',
          'engine/connections > is gone when it is disconnected, its data are not, and a link makes a new one',
          'engine/connections > that is moved after the pause needs a new link',
        ],
      ],
      [
        '3 mfa',
        'complete_mfa follows a pending link',
        ['step:the right code', 'engine/links > without a pending sign-in is token_not_validated'],
      ],
    ],
  },
  {
    title: '4. Endpoints',
    items: [
      [
        '4.1',
        'GET /v2/timeseries/{user_id}/{resource}/grouped',
        [
          'step:steps',
          'step:an unknown resource',
          'step:steps of nobody',
          'engine/timeseries-resources > are the 51 that are documented, with their kinds and units',
        ],
      ],
      [
        '4.1 dates',
        'A date is 00:00:00 as start and 23:59:59 as end',
        [
          'engine/timeseries > hold samples from 00:00:00 of start_date to the last second of end_date, in UTC',
          'step:no date',
        ],
      ],
      ['4.1 provider', 'Only samples of a provider', ['step:heart rate of one provider']],
      [
        '4.1 next_cursor, cursor',
        'A page goes on where the last one ended',
        [
          'step:more steps',
          'step:a cursor of something else',
          'engine/timeseries > refuse a cursor of another user, resource, range or provider filter, and one that was tampered with',
        ],
      ],
      [
        '4.2',
        'POST /v2/user/',
        [
          'step:create a user',
          'step:create one that is wrong',
          'step:create one from nothing',
          'server/http > takes a trailing slash for none',
        ],
      ],
      [
        '4.2 clash',
        '400 with the user_id and created_on that are there',
        [
          'step:create it again',
          'e2e/vital-client > creates a user, and is told who holds the id when it does so again',
        ],
      ],
      ['4.3', 'GET /v2/user/{user_id}', ['step:get it', 'step:get nobody', 'step:get what is no uuid']],
      [
        '4.4',
        'GET /v2/user/providers/{user_id}',
        ['step:connections', 'step:no connections yet', 'step:connections of nobody'],
      ],
      ['4.5', 'GET /v2/user/{user_id}/info/latest', ['step:info', 'step:info before it is set', 'step:info of nobody']],
      [
        '4.6',
        'POST /v2/user/undo_delete, by query or JSON body',
        [
          'step:undo the deletion',
          'step:undo for both',
          'server/http > takes undo_delete with query parameters and no body, or with a JSON body',
          'client/http > sends undo_delete as query parameters with an empty body',
        ],
      ],
      [
        '4.6 refusals',
        'Nothing deleted, grace period over, name taken',
        [
          'step:undo it again',
          'step:undo for nobody',
          'step:undo too late',
          'engine/jobs > removes a deleted user when the 7 days are over, not before, and no refusal changes by it',
        ],
      ],
      [
        '4.7',
        'POST /v2/link/provider/password/{provider}',
        [
          'step:sign in',
          'step:sign in without a password',
          'step:sign in at an unknown provider',
          'catalogue/providers > holds the twelve password providers and no slug twice',
        ],
      ],
      [
        '4.7 region',
        'Only where the provider has regions',
        [
          'step:sign in without a region',
          'engine/links > asks for a region where the provider has regions, and refuses one that it lacks',
          'catalogue/providers > has regions at abbott_libreview and not at whoop or zwift',
        ],
      ],
      [
        '4.8',
        'POST …/complete_mfa',
        ['step:the right code', 'step:a wrong code', 'e2e/vital-client > links one that asks for a code'],
      ],
      [
        '4.9',
        'POST /aggregate/v1/user/{user_id}/query',
        [
          'step:aggregate',
          'step:aggregate of nobody',
          'step:aggregate an unknown column',
          'e2e/vital-client > runs an aggregate query',
        ],
      ],
      [
        '4.9 accept',
        'JSON, Parquet, or 406',
        [
          'step:aggregate as Parquet',
          'step:aggregate as a picture',
          'server/http > answers Parquet under the spelling of the media type that was asked for',
        ],
      ],
      [
        '4.9 results',
        'One table a query, in their order; file names by number',
        [
          'engine/aggregate/shapes > shape 4: a week of activity begins on Monday',
          'table/binary > the archive holds the files in order, with their bytes, and is the same every time',
        ],
      ],
      [
        '4.9 config',
        'provider_priority_overrides',
        [
          'engine/aggregate/explain > gives the rule that decides: the override, the team’s priority, at last the name',
          'engine/aggregate/refusals > an unknown provider among the overrides',
        ],
      ],
      [
        '4.10',
        'GET /v3/lab_tests/markers',
        [
          'step:markers',
          'step:markers by name',
          'step:markers of an account',
          'step:markers of an unknown account',
          'engine/labs > are filtered by labs, the slug winning over ids, and by name or test code',
        ],
      ],
      [
        '4.10 page, size',
        'Page from 1, size 1 to 100',
        [
          'step:markers of size 0',
          'step:markers past the end',
          'engine/labs > of a lab account that nobody knows, or of a page out of bounds, are refused',
        ],
      ],
      ['4.11', 'GET /v3/lab_tests/labs', ['step:labs', 'e2e/vital-client > lists labs and markers']],
      [
        '4.12 workout stream',
        'GET /v2/timeseries/workouts/{workout_id}/stream',
        [
          'step:the stream of a workout',
          'step:the stream of no workout',
          'engine/streams > comes with the link of a provider that supplies streams: parallel lists over its time',
        ],
      ],
      [
        '4.12 summaries',
        'GET /v2/summary/{resource}/{user_id}, with a source',
        [
          'step:workouts of one provider',
          'step:summaries of an unknown kind',
          'engine/summaries > has the documented keys, no others, whatever the kind',
        ],
      ],
      [
        '4.12 order',
        'POST /v3/order with order_set.lab_test_ids',
        [
          'step:order',
          'step:order nothing',
          'step:order for nobody',
          'e2e/vital-client-labs > orders once under one key, and reads the order',
        ],
      ],
      [
        '4.12 lab tests',
        'GET /v3/lab_test by lab_test_limit and next_cursor',
        [
          'step:lab tests',
          'step:more lab tests',
          'step:too many lab tests',
          'engine/lab-tests > are walked by a cursor, each once, and are the same as the list that answers all at once',
        ],
      ],
      [
        '4.12 link token',
        'POST /v2/link/token',
        ['step:a token', 'step:a token for nobody', 'step:a token for an unknown provider', 'step:a token for three'],
      ],
    ],
  },
  {
    title: '5. Authentication',
    items: [
      [
        '5.1',
        'The API key in x-service-api-key',
        [
          'server/http > answers a missing, an unknown and an empty key in the same words',
          'engine/teams > stops working when it is revoked, and stays revoked',
        ],
      ],
      [
        '5.2',
        'The link token in x-service-link-token; it is enough alone',
        [
          'server/http > needs a link token or a key on link operations',
          'client/http > sends the link token alone on link operations',
        ],
      ],
      [
        '5.3',
        'Used up by use, can expire or be invalid',
        [
          'step:sign in with a used token',
          'step:sign in with no such token',
          'engine/links > says invalid_token, token_expired and token_not_validated',
        ],
      ],
    ],
  },
  {
    title: '6. Events',
    items: [
      [
        '6.1',
        'Every body has event_type, data, team_id, user_id and client_user_id',
        [
          'engine/events/schemas > is what its schema says, when %s come, change, and have been pulled',
          'engine/events/listing > has its body and its deliveries',
          'engine/event-documents > name their kind, team and user, and each has an id of its own',
        ],
      ],
      [
        '6.1 catalogue',
        'A schema and an example of each event',
        [
          'step:types of events',
          'step:a type of event',
          'engine/events/schemas > has an example that fits its schema, whatever the type',
          'engine/events/schemas > has a JSON Schema of its own, which a validator takes: %s',
        ],
      ],
      [
        '6.2',
        'Wearable data events, by resource',
        [
          'catalogue/providers > has three for each of the 60 resources, and the others',
          'engine/events/schemas > is what its schema says, when %s come, change, and have been pulled',
          'engine/samples > makes the connection and the events of daily data, and nothing the second time',
        ],
      ],
      [
        '6.2 source',
        'user_id, and a source with provider, type and app_id: one source a body',
        [
          'engine/events/schemas > is what its schema says, when %s come, change, and have been pulled',
          'engine/events/bodies > of several sources goes out as an event for each, each in time order',
        ],
      ],
      [
        '6.3',
        'A summary is the data itself; the id names one, a newer version replaces',
        [
          'engine/events/bodies > is sent as it is read, created once and then updated, with its times',
          'engine/summaries > has one version, the newest, and remembers when it came first',
        ],
      ],
      [
        '6.4',
        'Batches of samples in data.data with source_id, created apart from updated',
        [
          'engine/events/bodies > that is new in part is an event for what is new and one for what replaced something',
          'store/samples > fills the outbox with the samples, created apart from updated, in the same transaction',
          'engine/event-documents > of more samples than a body holds are several, in time order',
          'engine/events/bodies > of long texts goes out as several events, none above 1 MiB, with nothing lost',
        ],
      ],
      [
        '6.4 key',
        'Resource, provider, source type and time: a later value replaces',
        [
          'store/samples > replaces by key and says what was replaced and what was the same',
          'engine/event-documents > of samples hold a batch of one source with its key, its units left to the catalogue',
        ],
      ],
      [
        '6.5',
        'A workout stream event is shallow: the stream can be read once it is there',
        [
          'engine/events/schemas > is what its schema says, when %s come, change, and have been pulled',
          'engine/streams > comes with the link of a provider that supplies streams: parallel lists over its time',
          'store/import-undo > tell of a stream that is back as of one that came, with its workout and sport',
        ],
      ],
      [
        '6.6',
        'provider.connection.created, first of all, with resource_availability',
        [
          'engine/events/schemas > is what its schema says: %s',
          'engine/event-documents > of a link are the connection first, then once for each resource that was pulled',
        ],
      ],
      [
        '6.7',
        'historical.data.*.created once a resource, after all data',
        [
          'engine/events/schemas > is what its schema says, when %s come, change, and have been pulled',
          'engine/event-documents > of a link are the connection first, then once for each resource that was pulled',
        ],
      ],
      [
        '6.8',
        'sleep_cycle in place of the hypnogram',
        [
          'step:sleep_cycle',
          'engine/events/bodies > decides on the events of the hypnogram',
          'engine/event-documents > of a link are the connection first, then once for each resource that was pulled',
          'engine/streams > has the samples between bedtime and getting up, and the stages of its sleep cycle',
        ],
      ],
    ],
  },
  {
    title: '7. Errors',
    items: [
      ['7.1', 'A client_user_id that is taken: 400 with user_id and created_on', ['step:create it again']],
      [
        '7.2',
        'Link failures inside the link result',
        ['step:sign in with a wrong password', 'server/pages/link-pages > honours on_error and on_close'],
      ],
      ['7.2 invalid_token', 'Nobody knows the token', ['step:sign in with no such token']],
      [
        '7.2 token_expired',
        'Older than 60 minutes',
        [
          'engine/links > says invalid_token, token_expired and token_not_validated',
          'engine/link-oauth > ends with its token: after 60 minutes',
        ],
      ],
      [
        '7.2 token_not_validated',
        'Nothing was begun with it',
        ['step:complete nothing', 'engine/link-oauth > that was not begun, or begun elsewhere, is token_not_validated'],
      ],
      ['7.2 token_consumed', 'It connected once already', ['step:sign in with a used token']],
      [
        '7.2 provider_credential_error',
        'Wrong password or address',
        ['step:sign in with a wrong password', 'step:sign in by a mail address that is unknown'],
      ],
      [
        '7.2 provider_password_expired',
        'The provider wants a new password',
        ['connectors/synthetic/sandbox > takes user names without regard to case and blanks, and passwords exactly'],
      ],
      [
        '7.2 provider_api_error',
        'The provider failed',
        ['connectors/synthetic/sandbox > takes user names without regard to case and blanks, and passwords exactly'],
      ],
      [
        '7.2 unsupported_region',
        'A region that the provider lacks',
        ['engine/links > asks for a region where the provider has regions, and refuses one that it lacks'],
      ],
      [
        '7.2 duplicate_connection',
        'An account of another user, where the team wants none',
        ['engine/links > lets one user of an account in, also when two come at once'],
      ],
      [
        '7.2 required_scopes_not_granted',
        'A required scope was refused',
        [
          'step:grant too little',
          'server/pages/link-pages > reached from the link page leads back there after an error, to try again',
        ],
      ],
      ['7.2 incorrect_mfa_code', 'A wrong code', ['step:a wrong code']],
      [
        '7.2 user_cancelled',
        'The page was closed',
        [
          'e2e/link-page > leads back with user_cancelled when it is closed, where the application wants to know',
          'server/pages/link-pages > honours on_error and on_close',
        ],
      ],
      [
        '7.3',
        'An undo that is refused: name taken, or grace period over',
        ['step:undo too late', 'engine/users > cannot be brought back once a new user holds the client_user_id'],
      ],
      [
        '7 bodies',
        'Every refusal has a documented shape, whatever was sent',
        [
          'contract/requests > are answered as documented: %s',
          'contract/proxied > holds what the document says: %s (%s)',
          'contract/foreign-ids > are answered like ones that nobody has: %s',
        ],
      ],
    ],
  },
  {
    title: '8. Limits',
    items: [
      [
        '8 grace',
        'Deletions: 7 days',
        ['step:undo too late', 'engine/users > can be brought back within 7 days, and not after'],
      ],
      [
        '8 requisition',
        'The signed address of a requisition form: 7 days',
        [
          'engine/order-documents > is dead after seven days of the clock, and says what there is in its place',
          'step:a forged address',
        ],
      ],
      [
        '8 page size',
        '1 to 100',
        [
          'step:markers of size 0',
          'engine/labs > of a lab account that nobody knows, or of a page out of bounds, are refused',
        ],
      ],
      [
        '8 page number',
        'From 1',
        ['engine/labs > of a lab account that nobody knows, or of a page out of bounds, are refused'],
      ],
    ],
  },
  {
    title: '9. Versioning',
    items: [
      [
        '9.1',
        'The version is part of the path',
        ['contract/openapi > has every operation of the table once, each under a unique operationId'],
      ],
      [
        '9.2',
        'Open enumerations may gain values',
        ['contract/user-info > keeps values of the four enums that are not listed, and a guarantor'],
      ],
      [
        '9.3 hypnogram',
        'Gone from 31 January 2025 on',
        [
          'engine/deprecations > answers with Deprecation and Sunset before its day, and 410 from it on',
          'e2e/vital-client-people > reads every timeseries, units and all',
        ],
      ],
      [
        '9.3 source',
        'name, logo and slug gone from 31 July 2024 on',
        [
          'engine/summaries > names the provider in its source for a date before 2024-07-31 alone',
          'engine/deprecations > is sent before its day and absent from it on',
          'engine/events/bodies > decides on the details of sources, on is_final, and on the source of a new connection, for ever',
        ],
      ],
      [
        '9.3 connection event',
        'source gone from 31 July 2024 on',
        [
          'engine/events/bodies > decides on the details of sources, on is_final, and on the source of a new connection, for ever',
          'engine/deprecations > has every announcement with its day, its replacement, and whether it is still served',
        ],
      ],
      [
        '9.3 is_final',
        'Gone from 30 June 2024 on',
        [
          'engine/events/bodies > decides on the details of sources, on is_final, and on the source of a new connection, for ever',
          'engine/deprecations > has every announcement with its day, its replacement, and whether it is still served',
        ],
      ],
      [
        '9.3 dates',
        'Every announcement with its day and replacement',
        ['step:what was announced to go', 'engine/deprecations > names operations and inputs that are there'],
      ],
      [
        '9.4 lab_test_id',
        'Beside order_set.lab_test_ids, still taken',
        [
          'step:order by the old field',
          'step:order both ways',
          'engine/orders > by the deprecated lab_test_id is the same as by a set of one, and both at once are refused',
        ],
      ],
      [
        '9.4 value',
        'Beside result and result_type, still sent',
        [
          'step:results',
          'engine/order-simulation > of any order, along any way of its table, leaves states, events and results that agree',
        ],
      ],
      [
        '9.4 requisition_form_url',
        'Beside the PDF of the order, still sent',
        [
          'step:the requisition by its address',
          'step:the requisition',
          'engine/order-documents > needs no key, and is null where no server runs',
        ],
      ],
      [
        '9.4 GET /v3/lab_tests',
        'Beside GET /v3/lab_test, still answered',
        [
          'step:all lab tests',
          'engine/lab-tests > are walked by a cursor, each once, and are the same as the list that answers all at once',
        ],
      ],
    ],
  },
]
