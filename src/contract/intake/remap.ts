/** Schemas of remaps: data that is read again with today's mapping, and the changes that result. */
import * as z from 'zod'
import { component, date, dateTime, flag, line, lowerUuid, userId, wholeNumber } from '../kernel/primitives.ts'

/** Maximum number of imports that one request names. */
const MOST_IMPORTS = 100
/** Maximum number of changes on a page. */
export const MOST_CHANGES = 10_000
const DEFAULT_CHANGES = 100

export const remapQuery = () =>
  z.object({
    dry_run: flag().default(false).meta({ description: 'List what would change, but store nothing' }),
    limit: wholeNumber(1, MOST_CHANGES)
      .default(DEFAULT_CHANGES)
      .meta({ description: 'Maximum number of changes to list in a dry run' }),
    next_cursor: z.string().max(512).nullish().meta({ description: 'Continue a dry run from this cursor' }),
  })

/** The imports to read again: named ones, or those of a user, of a format, or both. */
export const importRemapBody = () =>
  z
    .strictObject({
      import_ids: z.array(lowerUuid()).min(1).max(MOST_IMPORTS).optional(),
      user_id: userId().optional().meta({ description: 'Read all kept imports of this user again' }),
      format: line(64).optional().meta({ description: 'Read only kept imports of this format again' }),
    })
    .meta({ id: 'ImportRemap' })

/** The responses to read again. */
export const providerRemapBody = () =>
  z
    .strictObject({
      user_id: userId().optional().meta({ description: 'Only responses about this user' }),
      collection: line(64).optional().meta({ description: "Only this collection, by the provider's name" }),
    })
    .meta({ id: 'ProviderRemap' })

const count = () => z.int()
const value = () => z.union([z.number(), z.string(), z.boolean()]).nullable()

/** One field of a sample, a summary or a stream that differs. */
const change = () =>
  component('RemapChange', {
    user_id: userId(),
    client_user_id: z.string(),
    resource: z.string().meta({ description: 'Resource, kind of summary, or workout_stream' }),
    day: date().meta({ description: 'Local date' }),
    change: z.enum(['added', 'changed', 'removed']),
    provider: z.string(),
    source_type: z.string(),
    start: dateTime().nullable().meta({ description: 'Start of the sample; null for a summary or a stream' }),
    id: z.string().nullable().meta({ description: 'ID of the summary or workout; null for a sample' }),
    field: z.string().meta({ description: 'Field that differs, such as value, end or heartrate.avg' }),
    old: value().meta({ description: 'Stored value; null if there is none' }),
    new: value().meta({ description: 'New value; null if there is none' }),
    unit: z.string().nullable().meta({ description: 'Unit of the value of a sample' }),
  })

export const remapReport = () =>
  component('RemapReport', {
    changes: z.array(change()).meta({ description: 'A page of the changes in a dry run; otherwise empty' }),
    total: count().meta({ description: 'Number of all changes in a dry run; otherwise 0' }),
    next_cursor: z.string().nullable(),
    dry_run: z.boolean(),
    users: z
      .array(
        component('RemapOfUser', {
          user_id: userId(),
          client_user_id: z.string(),
          import_id: z.string().nullable().meta({ description: 'ID for undo; null if nothing was stored' }),
          import_ids: z.array(z.string()).meta({ description: 'The imports that were read again' }),
          responses: count().meta({ description: 'Number of raw responses that were read again' }),
          records: count().meta({ description: 'Number of records in what was read again' }),
          counts: z
            .record(z.string(), z.object({ added: count(), changed: count(), removed: count(), kept: count() }))
            .meta({
              description: 'Counts by resource and kind of summary; kept: something else has changed them since',
            }),
        }),
      )
      .meta({ description: 'The users whose data was read again; each has a separate undo' }),
    left_out: z
      .array(
        component('RemapLeftOut', {
          user_id: userId(),
          import_id: z.string().nullable(),
          reason: z.string(),
          count: count(),
        }),
      )
      .meta({ description: 'Imports and responses that could not be read again' }),
  })
