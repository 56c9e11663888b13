/** Schemas of the operator operation `aggregate.why`: where one number comes from. See docs/interface/why.md. */
import * as z from 'zod'
import { MIXED_KINDS } from '../../catalogue/kinds.ts'
import { component, dateOrDateTime, dateTime, flag } from '../kernel/primitives.ts'
import { queryBatch } from './aggregate.ts'
import { storedSession } from './conflicts.ts'
import { queryWarning } from './warnings.ts'

/** Maximum number of samples or records that one response lists. */
export const MOST_LISTED = 10_000

/** The number that is asked about. */
export const whyQuery = () =>
  z.object({
    function: z.string().min(1).max(40).meta({ description: 'Aggregate function, such as sum' }),
    column: z.string().min(1).max(120).meta({
      description: 'Column: steps, blood_pressure.systolic, sleep.duration_second or sleep.sleep_score',
    }),
    period: z.string().min(1).max(40).meta({
      description:
        'A day (2026-11-20), an ISO week (2026-W47), a month (2026-11), a year (2026), or a range of days (2026-11-16..2026-11-22), in local time',
    }),
    where: z.string().optional().meta({ description: 'Condition that rows must meet' }),
    merge: flag().optional().meta({ description: 'Whether sources are merged; without it, the team decides' }),
    mixed_kinds: z.enum(MIXED_KINDS).optional().meta({ description: 'Without it, the team decides' }),
    as_of: dateOrDateTime().optional().meta({
      description: 'Compute the number from the data that was stored at this time, or at the end of this date',
    }),
    limit: z.coerce
      .number()
      .int()
      .min(0)
      .max(MOST_LISTED)
      .default(1000)
      .meta({ description: 'Maximum number of samples and of records to list' }),
  })

const cell = () => z.union([z.string(), z.number(), z.boolean(), z.null()])

/** How data came into the store. See docs/interface/why.md#why-5. */
const origin = () =>
  component('Origin', {
    kind: z.enum(['import', 'pull', 'push', 'simulated', 'unknown']).meta({
      description: 'push: sent by an application. unknown: what is kept does not show it',
    }),
    at: dateTime()
      .nullable()
      .meta({ description: 'When this version of the data was received; null if it is not kept' }),
    import_id: z.string().nullable(),
    format: z.string().nullable().meta({ description: 'Format of the imported file' }),
    sha256: z.string().nullable().meta({ description: 'SHA-256 of the imported file, in hex; null if it is not kept' }),
    provider: z.string(),
    collection: z.string().nullable().meta({ description: 'Collection at the provider that was pulled' }),
    record_id: z.string().nullable().meta({ description: 'ID of the record at the provider' }),
    event_id: z.string().nullable().meta({ description: 'The event that reported the data, if it is still kept' }),
  })

export type Origin = z.output<ReturnType<typeof origin>>

const source = () =>
  component('WhySource', {
    provider: z.string(),
    source_type: z.string(),
    type: z.string().nullable(),
    app_id: z.string().nullable(),
    device_id: z.string().nullable(),
    kind: z.string().nullable().meta({ description: 'Kind of its values, if there is a number for each kind' }),
    rank: z.int().meta({ description: "The source's rank, starting at 1" }),
    used: z.boolean(),
    rows: z.int().meta({ description: 'Number of samples or records in the period that `where` keeps' }),
    rows_used: z.int().meta({ description: 'Number of those that count, in full or in part' }),
    value: z.number().nullable().meta({ description: 'What it contributes; null if it is not an amount' }),
    minutes: z.number().nullable().meta({ description: 'Time that it contributes; null if it is not an amount' }),
    share: z.number().nullable().meta({ description: 'Share of the amount or, for others, of the rows that count' }),
    reason: z.string().meta({ description: 'Why it has its rank' }),
    kinds: z.array(z.object({ kind: z.string(), rows: z.int() })).meta({ description: 'Kinds of the rows that count' }),
  })

export type WhySource = z.output<ReturnType<typeof source>>

/** An index into a list of the response. */
const indexOf = (what: string) => z.int().meta({ description: `Position in \`${what}\`, counted from 0` })

const sample = () =>
  component('WhySample', {
    source: indexOf('sources'),
    start: z.string().meta({ description: 'Local time' }),
    end: z.string().meta({ description: 'Local time' }),
    timezone_offset: z.int().meta({ description: 'Seconds east of UTC' }),
    value: cell().meta({ description: 'The value as it is stored' }),
    counted: cell().meta({ description: 'What counts of it, which is less if only a part of its time counts' }),
    parts: z.int().meta({ description: 'Number of parts that count; 1 if it counts in full' }),
    kind: z.string().nullable(),
    implausible: z.boolean(),
    origin: indexOf('origins'),
  })

export type WhySample = z.output<ReturnType<typeof sample>>

const member = () =>
  component('WhyMember', {
    ...storedSession(),
    date: z.string(),
    value: cell().meta({ description: "The stored session's own value of the column" }),
    use: z.enum(['values', 'fields', 'none']).meta({
      description: 'Whether the record has its times and values, only some fields, or nothing of it',
    }),
    supplies: z.boolean().meta({ description: 'Whether the value of the column is its own, or a part of it is' }),
    reason: z.string(),
    origin: indexOf('origins'),
  })

export type WhyMember = z.output<ReturnType<typeof member>>

const record = () =>
  component('WhyRecord', {
    index: z.string().meta({ description: "The row's index, in local time" }),
    role: z.string().nullable().meta({ description: 'main_sleep, nap or second_sleep; null for other tables' }),
    value: cell(),
    kind: z.string().nullable(),
    source: indexOf('sources'),
    members: z.array(member()).meta({ description: 'The stored summaries that make the row, best source first' }),
    inputs: z
      .record(z.string(), cell())
      .nullable()
      .meta({ description: 'What a computed value was computed from; null for a stored value' }),
  })

export type WhyRecord = z.output<ReturnType<typeof record>>

/** Why data was left out. See docs/interface/why.md#why-3. */
export const LEFT_OUT_REASONS = [
  'where',
  'implausible',
  'other_source',
  'covered',
  'overlap',
  'day_total',
  'replaced_by_total',
  'nap',
  'same_session',
  'version',
] as const

const leftOut = () =>
  component('WhyLeftOut', {
    code: z.enum(LEFT_OUT_REASONS),
    reason: z.string(),
    rule: z.string().meta({ description: 'Rule in docs/interface, such as merging-3' }),
    provider: z.string(),
    source_type: z.string(),
    app_id: z.string().nullable(),
    device_id: z.string().nullable(),
    rows: z.int().meta({ description: 'Number of samples or records, also those of which only a part is left out' }),
    value: z.number().nullable().meta({ description: 'Amount that is left out; null if it is not an amount' }),
  })

export type WhyLeftOut = z.output<ReturnType<typeof leftOut>>

const rule = () => z.object({ rule: z.string(), text: z.string() })

const question = () =>
  z.object({
    user_id: z.string(),
    function: z.string(),
    column: z.string(),
    period: z.string(),
    from: z.string().meta({ description: 'Local time, inclusive' }),
    to: z.string().meta({ description: 'Local time, exclusive' }),
    time_zone: z.string().meta({ description: 'Zone of data without an offset' }),
    where: z.string().nullable(),
    merge: z.boolean().meta({ description: 'Whether sources were merged' }),
    merge_from: z.enum(['request', 'team']).meta({ description: 'What decided that' }),
    mixed_kinds: z.enum(MIXED_KINDS),
    as_of: dateTime()
      .nullable()
      .meta({ description: 'Time of the data, if not the present; rules and settings are those of `computed_at`' }),
  })

/** The shape of the response, without the signature. */
const shape = () => ({
  question: question(),
  query: queryBatch().meta({ description: 'The aggregate query that returns the same number' }),
  value: cell().meta({ description: 'The number; null if there is none, or one for each kind' }),
  unit: z.string().nullable(),
  by_kind: z
    .array(z.object({ kind: z.string().nullable(), value: cell() }))
    .meta({ description: 'A number for each kind, with mixed_kinds=split; otherwise empty' }),
  summary: z.string().meta({ description: 'What made the number, in one sentence' }),
  formula: z.string().nullable().meta({ description: 'How a computed column is computed; null for a stored one' }),
  conversion: z
    .object({ fields: z.array(z.string()), factor: z.number(), unit: z.string().nullable() })
    .nullable()
    .meta({
      description: 'Fields of the stored summary that are multiplied by a factor; null if the value is shown as stored',
    }),
  rules: z.array(rule()).meta({ description: 'The rules that decided what counts' }),
  warnings: z.array(queryWarning()),
  sources: z.array(source()).meta({ description: 'Best source first' }),
  samples: z.array(sample()).meta({ description: 'The samples that count, oldest first, up to `limit`' }),
  samples_total: z.int(),
  records: z
    .array(record())
    .meta({ description: 'The nights, workouts or days that count, oldest first, up to `limit`' }),
  records_total: z.int(),
  left_out: z.array(leftOut()),
  origins: z.array(origin()),
  computed_at: dateTime().meta({ description: "Time by the engine's clock" }),
})

/** `typ` in the header of the signature. */
export const WHY_TYPE = 'svc-why+json'

const signature = () =>
  z
    .object({
      kid: z.string().meta({ description: 'Fingerprint of the key; `GET /svc/v1/keys/public` returns the key' }),
      jws: z.string().meta({
        description:
          'JSON Web Signature with detached payload (RFC 7515, appendix F): the other members as canonical JSON (RFC 8785)',
      }),
    })
    .meta({ description: 'Signature of the other members with the Ed25519 key of the store' })

const whyDocument = () => z.object(shape())
/** Where one number comes from, without the signature. */
export type WhyDocument = z.output<ReturnType<typeof whyDocument>>

/** Where one number comes from. */
export const whyReply = () => component('Why', { ...shape(), signature: signature() })

/** The response if the data of a time cannot be reconstructed. */
export const historyIncomplete = () =>
  component('HistoryIncomplete', {
    detail: z.string(),
    earliest: dateTime().meta({ description: 'The earliest time for which `as_of` works' }),
  })
