/** Schemas of imports: the file, the report, the list of imports, and the undo. */
import * as z from 'zod'
import type { ByteSource } from '../kernel/operation.ts'
import { component, dateTime, flag, lowerUuid, timeZone, userId, wholeNumber } from '../kernel/primitives.ts'

const MOST_MAPPING_CHARACTERS = 8192

export const importParams = () => z.object({ user_id: userId() })

/** The mapping of a table's columns to samples. The engine checks the target names. */
const mappingDocument = () =>
  z.strictObject({
    columns: z.record(z.string().max(64), z.string().min(1).max(256)).default({}),
    resource: z.string().max(64).nullish(),
    unit: z.string().max(64).nullish(),
    time_zone: timeZone().nullish(),
    where: z.record(z.string().min(1).max(256), z.string().max(256)).optional(),
  })

/** The mapping as JSON text, because query parameters are always text. */
const mappingText = () =>
  z
    .string()
    .max(MOST_MAPPING_CHARACTERS)
    .transform((text, context) => {
      const result = mappingDocument().safeParse(parseJson(text))
      if (result.success) return result.data
      for (const { path, message } of result.error.issues) context.addIssue({ code: 'custom', path, message })
      return z.NEVER
    })
    .meta({
      description:
        'Mapping of a table, as JSON: {"columns": {"start": "Time", "value": "Value"}, "resource": "steps", "unit": ' +
        '"count", "time_zone": "Europe/Berlin", "where": {"Id": "123"}}; other formats accept only time_zone',
    })

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const importQuery = () =>
  z.object({
    format: z.string().max(64).optional().meta({ description: 'Format of the file; detected by default' }),
    provider: z.string().max(64).optional().meta({ description: 'Provider slug to store the data under' }),
    source_type: z.string().max(64).optional().meta({ description: 'Source type to store the data under' }),
    date_order: z
      .enum(['dmy', 'mdy'])
      .optional()
      .meta({ description: 'Order of day and month, if the dates in the file are ambiguous' }),
    keep_partial: flag()
      .default(false)
      .meta({ description: 'Keep the records before the damage if the file is damaged' }),
    dry_run: flag().default(false).meta({ description: 'Report what would be imported, but store nothing' }),
    mapping: mappingText().optional(),
  })

/** Raw bytes of a provider's export file. */
export const importFile = () =>
  z.custom<ByteSource>(value => typeof value === 'object' && value !== null && 'kind' in value, 'must be a file')

const count = () => z.int()
const sampleCounts = () => z.record(z.string(), z.object({ samples: count(), replaced: count(), unchanged: count() }))
const summaryCounts = () => z.object({ created: count(), updated: count(), unchanged: count() })

/** Skipped records by reason, with the positions of the first three, such as `line 12` or `byte 4711`. Never contains a value. */
const skipped = () => z.array(z.object({ reason: z.string(), count: count(), places: z.array(z.string()) }))

/** The fields of every import report: record counts by resource, as named in REST paths. */
const tally = () => ({
  records: count(),
  stored: sampleCounts(),
  summaries: z.record(z.string(), summaryCounts()),
  streams: summaryCounts(),
  skipped: skipped(),
})

/** A file's content as it was received. */
const fileFacts = () => ({
  sha256: z.string().meta({ description: 'SHA-256 of the content, in hex' }),
  bytes: count().meta({ description: 'Size of the content in bytes' }),
  kept: z.boolean().meta({ description: 'Whether the content is kept, so that it can be read again' }),
})

/** The result of an import or a dry run. */
export const importReport = () =>
  component('ImportReport', {
    import_id: z.string().nullable().meta({ description: 'Id of the import; null on a dry run' }),
    format: z.string(),
    user_id: userId(),
    ...tally(),
    // absent in responses of services that have no limits
    implausible: z.record(z.string(), count()).optional().meta({
      description: 'Number of samples by resource whose values are outside its limits; they are stored',
    }),
    // absent in responses of services that do not report them
    days: z
      .record(z.string(), z.object({ first: z.string(), last: z.string() }))
      .optional()
      .meta({ description: 'First and last date of the data, by resource and kind of summary' }),
    notices: z
      .array(z.object({ text: z.string(), count: count() }))
      .optional()
      .meta({ description: 'How records were read, such as in which time zone, with their number' }),
    date_order: z
      .object({
        order: z.enum(['dmy', 'mdy']),
        basis: z
          .enum(['file', 'given'])
          .meta({ description: 'How the order was determined: by a date in the file, or by the request' }),
        place: z.string().nullable().meta({ description: 'The first date that fits only this order' }),
      })
      .nullable()
      .meta({ description: 'How dates such as 03/04/2021 were read; null if the file has no such dates' }),
    dry_run: z.boolean(),
    partial: z
      .object({ message: z.string() })
      .nullable()
      .meta({ description: 'Why only part of a damaged file was read; null if the whole file was read' }),
    // absent in responses of services that keep no files
    file: z
      .object({
        ...fileFacts(),
        not_kept: z
          .string()
          .nullable()
          .meta({ description: 'Why the content is not kept although the team keeps files' }),
      })
      .optional(),
    seconds: z.number(),
  })

/** Query parameters of an import for several users. */
export const peopleImportQuery = () =>
  importQuery().extend({
    create_users: flag()
      .default(false)
      .meta({ description: 'Create a user for each client user ID in the table that the team does not have' }),
  })

/** The result of an import for several users: one import for each user with data. */
export const peopleImportReport = () =>
  component('PeopleImportReport', {
    users: count().meta({ description: 'Number of users in the table' }),
    users_created: count().meta({ description: 'Number of these users that were created, or would be' }),
    records: count().meta({ description: 'Number of records, including those that belong to nobody' }),
    skipped: skipped().meta({ description: 'Number of records that belong to nobody' }),
    imports: z.array(importReport()).meta({
      description: 'The import of each user, in the order of the table; none for a user that would be created',
    }),
    dry_run: z.boolean(),
    seconds: z.number(),
  })

export const importListQuery = () =>
  z.object({
    user_id: userId().optional(),
    limit: wholeNumber(1, 500).default(100),
    next_cursor: z.string().max(512).nullish(),
  })

/** Imports, newest first. */
export const importList = () =>
  z.object({
    imports: z.array(
      component('Import', {
        import_id: z.string(),
        user_id: userId(),
        client_user_id: z.string(),
        at: dateTime(),
        format: z.string(),
        ...tally(),
        // absent in responses of services that cannot read files again
        file: z.object(fileFacts()).nullable().optional().meta({ description: 'The file; null if it is unknown' }),
        remap: z
          .object({ import_ids: z.array(z.string()), provider: z.string().nullable() })
          .nullable()
          .optional()
          .meta({ description: 'For a remap, the imports or the provider whose data was read again' }),
        undone_at: dateTime().nullable(),
      }),
    ),
    next_cursor: z.string().nullable(),
  })

export const importIdParams = () => z.object({ import_id: lowerUuid() })

const byName = () => z.record(z.string(), count())

/** The result of undoing an import: counts by resource and by kind of summary. */
export const undoReport = () =>
  component('UndoReport', {
    import_id: z.string(),
    removed: byName().meta({ description: 'Counts of imported records that were removed' }),
    restored: byName().meta({ description: 'Counts of replaced records that were restored' }),
    kept: byName().meta({ description: 'Counts of records that were kept because they changed after the import' }),
  })
