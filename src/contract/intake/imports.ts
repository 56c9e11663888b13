/** Imports of export files: what is sent, the report, the list of imports, and how one is taken back. */
import { z } from 'zod'
import type { ByteSource } from '../kernel/operation.ts'
import { dateTime, flag, timeZone, userId, uuid, wholeNumber } from '../kernel/primitives.ts'

const MOST_MAPPING_CHARACTERS = 8192

export const importParams = () => z.object({ user_id: userId() })

/** How the columns of a table become samples; the engine knows which targets there are. */
const mappingDocument = () =>
  z.strictObject({
    columns: z.record(z.string().max(64), z.string().min(1).max(256)).default({}),
    resource: z.string().max(64).nullish(),
    unit: z.string().max(64).nullish(),
    time_zone: timeZone().nullish(),
  })

/** The document as a text: a query parameter holds nothing else. */
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
        'How to read a table, as JSON: {"columns": {"start": "Time", "value": "Value"}, "resource": "steps", "unit": ' +
        '"count", "time_zone": "Europe/Berlin"}; every format accepts a time zone alone',
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
    provider: z.string().max(64).optional().meta({ description: 'Provider slug of the data' }),
    source_type: z.string().max(64).optional().meta({ description: 'Source type of the data' }),
    date_order: z
      .enum(['dmy', 'mdy'])
      .optional()
      .meta({ description: 'Order of day and month, if the file leaves it open' }),
    keep_partial: flag().default(false).meta({ description: 'Keep the part of a damaged file before the damage' }),
    dry_run: flag().default(false).meta({ description: 'Report what would happen and store nothing' }),
    mapping: mappingText().optional(),
  })

/** An export file of a provider: raw bytes. */
export const importFile = () =>
  z.custom<ByteSource>(value => typeof value === 'object' && value !== null && 'kind' in value, 'must be a file')

const count = () => z.number().int()
const sampleCounts = () => z.record(z.string(), z.object({ samples: count(), replaced: count(), unchanged: count() }))
const summaryCounts = () => z.object({ created: count(), updated: count(), unchanged: count() })

/** Where the first three of a reason were: `line 12`, `byte 4711`. Never a value. */
const skipped = () => z.array(z.object({ reason: z.string(), count: count(), places: z.array(z.string()) }))

/** What every account of an import holds: counts of records, by resource under the names of the REST paths. */
const tally = () => ({
  records: count(),
  stored: sampleCounts(),
  summaries: z.record(z.string(), summaryCounts()),
  streams: summaryCounts(),
  skipped: skipped(),
})

/** What an import did, or, on a dry run, would do. */
export const importReport = () =>
  z
    .object({
      import_id: z.string().nullable().meta({ description: 'Null on a dry run' }),
      format: z.string(),
      user_id: userId(),
      ...tally(),
      dry_run: z.boolean(),
      partial: z
        .object({ message: z.string() })
        .nullable()
        .meta({ description: 'Why only a part of a damaged file was read' }),
      seconds: z.number(),
    })
    .meta({ id: 'ImportReport' })

export const importListQuery = () => z.object({ user_id: userId().optional(), limit: wholeNumber(1, 500).default(100) })

/** Imports, newest first. */
export const importList = () =>
  z.object({
    imports: z.array(
      z
        .object({
          import_id: z.string(),
          user_id: userId(),
          at: dateTime(),
          format: z.string(),
          ...tally(),
          undone_at: dateTime().nullable(),
        })
        .meta({ id: 'Import' }),
    ),
  })

export const importIdParams = () => z.object({ import_id: uuid().transform(id => id.toLowerCase()) })

const byName = () => z.record(z.string(), count())

/** What undoing an import did, by resource and kind of summary. */
export const undoReport = () =>
  z
    .object({
      import_id: z.string(),
      removed: byName().meta({ description: 'Data of the import that was removed' }),
      restored: byName().meta({ description: 'Replaced data that was restored' }),
      kept: byName().meta({ description: 'Data that changed since and stays' }),
    })
    .meta({ id: 'UndoReport' })
