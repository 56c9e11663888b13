/** Schemas of the operator operations on teams and API keys. See docs/teams.md. */
import * as z from 'zod'
import { MIXED_KINDS } from '../../catalogue/kinds.ts'
import {
  component,
  date,
  dateTime,
  flag,
  line,
  lowerUuid,
  sensitiveText,
  strictComponent,
  teamId,
  uuid,
  wholeNumber,
  wrongValue,
} from '../kernel/primitives.ts'

export const ENVIRONMENTS = ['sandbox', 'production'] as const
export const REGIONS = ['us', 'eu'] as const
export type Environment = (typeof ENVIRONMENTS)[number]
export type Region = (typeof REGIONS)[number]

/** Maximum value of a user limit. */
const MOST_USERS = 1_000_000_000
/** Maximum value of a storage limit: 1,000 terabytes. */
const MOST_BYTES = 1e15
const MOST_REQUESTS = 1_000_000
const MOST_NAME_CHARACTERS = 100
const MOST_LABEL_CHARACTERS = 100

/** Maximum number of days to keep events: ten years. */
const MOST_EVENT_DAYS = 3_650

/** Maximum number of days to keep imported files: ten years. */
const MOST_KEPT_DAYS = 3_650

/** A team name. It must not look like an ID, because `svc engine team set` accepts either one. */
const teamName = () =>
  line(MOST_NAME_CHARACTERS).refine(
    name => !uuid().safeParse(name).success && name.trim() === name,
    wrongValue('must not be a UUID, and must not begin or end with a space'),
  )

const betas = () => ({ user_info: z.boolean(), aggregate: z.boolean() })

/** A team's quotas; null means no limit. */
const quotas = () => ({
  max_users: z.int().min(0).max(MOST_USERS).nullable().meta({ description: 'Maximum number of active users' }),
  max_bytes: z
    .int()
    .min(0)
    .max(MOST_BYTES)
    .nullable()
    .meta({ description: 'Maximum number of bytes that its users may store (see stored_bytes)' }),
  max_requests_per_second: z.int().min(1).max(MOST_REQUESTS).nullable().meta({
    description:
      'Maximum number of requests per second that one server accepts for all keys of the team; a burst may have twice as many',
  }),
  max_in_flight: z
    .int()
    .min(1)
    .max(MOST_REQUESTS)
    .nullable()
    .meta({ description: 'Maximum number of requests that one server handles at once for all keys of the team' }),
})

const switches = () => ({
  reject_duplicate_connection: z
    .boolean()
    .meta({ description: 'Refuse a provider account that another user of the team has already connected' }),
  user_limit: z.int().min(0).max(MOST_USERS).nullable().meta({ description: 'Same as max_users' }),
  ...quotas(),
  beta: z.object(betas()).meta({ description: 'Closed-beta features, each on (true) or off (false)' }),
  compatibility_date: date()
    .nullable()
    .meta({ description: 'Date that decides which deprecations apply; null for the current date of the clock' }),
  event_days: z.int().min(1).max(MOST_EVENT_DAYS).meta({ description: 'Number of days to keep events' }),
  merge: z.boolean().meta({ description: 'Default of merge in aggregate queries' }),
  mixed_kinds: z.enum(MIXED_KINDS).meta({ description: 'Default of mixed_kinds in aggregate queries' }),
  // absent in responses of services that keep no files
  keep_import_days: z.int().min(1).max(MOST_KEPT_DAYS).nullable().optional().meta({
    description:
      'Number of days to keep the content of imported files, so that they can be read again; null to keep none',
  }),
})

/** A team with its settings. */
export const teamView = () =>
  component('TeamSettings', {
    team_id: z.string(),
    name: z.string(),
    created_on: dateTime(),
    user_count: z.int(),
    stored_bytes: z.int().nullable().meta({
      description:
        'Number of bytes that its users store: samples, summaries, streams, events, orders and profiles; null without max_bytes',
    }),
    ...switches(),
  })

export const teamList = () => z.object({ teams: z.array(teamView()) }).meta({ id: 'TeamList' })

const keyKind = () => ({
  environment: z
    .enum(ENVIRONMENTS)
    .default('sandbox')
    .meta({ description: 'Environment, which decides the prefix: sk_… or pk_…' }),
  region: z.enum(REGIONS).default('us').meta({ description: 'Region in the prefix: …us_ or …eu_' }),
})

export const newTeam = () => z.strictObject({ name: teamName(), ...keyKind() }).meta({ id: 'NewTeam' })

/** The only response that contains the new team's key. */
export const createdTeam = () =>
  z.object({ team_id: z.string(), name: z.string(), api_key: sensitiveText() }).meta({ id: 'CreatedTeam' })

export const teamParams = () => z.object({ team_id: teamId() })

/** A change to a team; absent fields stay unchanged. */
export const teamChange = () =>
  z
    .strictObject({ name: teamName(), ...switches(), beta: z.strictObject(betas()).partial() })
    .partial()
    .meta({ id: 'TeamChange' })

export const newKey = () =>
  strictComponent('NewKey', {
    label: line(MOST_LABEL_CHARACTERS).default('api key'),
    is_operator: z.boolean().default(false).meta({ description: 'Allow operations on all teams and on the store' }),
    ...keyKind(),
  })

/** An API key, without the key itself. */
export const keyView = () =>
  component('Key', {
    key_id: z.string(),
    team_id: z.string(),
    prefix: z.string().meta({ description: 'Masked key, such as sk_us_…a1b2' }),
    label: z.string(),
    is_operator: z.boolean(),
    created_on: dateTime(),
    last_used_on: date().nullable().meta({ description: 'Date of last use' }),
    revoked_at: dateTime().nullable(),
  })

/** The only response that contains the new key. */
export const createdKey = () => z.object({ ...keyView().shape, api_key: sensitiveText() }).meta({ id: 'CreatedKey' })

/** A one-time URL. It signs in once, with the permissions of the key that requested it. */
export const signInUrl = () =>
  component('ConsoleSignIn', {
    url: sensitiveText().meta({ description: 'URL to open in a browser; it works once' }),
    expires_at: dateTime().meta({ description: 'When the URL expires, in real time' }),
  })

export const MOST_KEYS_LISTED = 1_000
export const keyQuery = () =>
  z.object({
    team_id: teamId().optional(),
    revoked: flag().default(false).meta({ description: 'Include revoked keys' }),
    offset: wholeNumber(0, 1_000_000_000).default(0),
    limit: wholeNumber(1, MOST_KEYS_LISTED).default(100),
  })

/** API keys, newest first. */
export const keyList = () =>
  z.object({ keys: z.array(keyView()), total: z.int(), offset: z.int(), limit: z.int() }).meta({ id: 'KeyList' })

export const keyParams = () => z.object({ key_id: lowerUuid() })
