/** Schemas of downloads: samples, or the result of an aggregate query, as one file. */
import * as z from 'zod'
import { RESOURCE_NAMES } from '../../catalogue/resources.ts'
import { dateOrDateTime, flag, userId } from '../kernel/primitives.ts'

export const CSV = 'text/csv'
/** The media type of a single Parquet file. */
export const PARQUET = 'application/vnd.apache.parquet'

const DOWNLOAD_FORMATS = ['csv', 'parquet'] as const

const format = () => ({
  format: z.enum(DOWNLOAD_FORMATS).default('csv'),
  safe_csv: flag()
    .default(false)
    .meta({ description: 'Put an apostrophe before texts that a spreadsheet would read as formulas (csv only)' }),
})

export const downloadParams = () =>
  z.object({ user_id: userId(), resource: z.enum(RESOURCE_NAMES as [string, ...string[]]) })

export const downloadQuery = () =>
  z.object({
    start_date: dateOrDateTime(),
    end_date: dateOrDateTime().optional(),
    provider: z.string().max(64).default(''),
    ...format(),
  })

export const resultQuery = () => z.object(format())

/** Never returned as JSON. */
export const downloadReply = () => z.never()
