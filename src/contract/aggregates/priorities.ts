/** Schemas of a team's source priorities: which source aggregate queries prefer. See docs/interface/aggregates.md#aggregates-7. */
import * as z from 'zod'
import { PRIORITY_DATA_TYPES } from '../../catalogue/priority-data-types.ts'
import { wrongValue } from '../kernel/primitives.ts'

const MOST_ROWS = 1_000
const name = () => z.string().min(1).max(64)

/** One priority. The engine checks the names and suggests the nearest ones. */
const row = () =>
  z.strictObject({
    data_type: name().meta({ description: PRIORITY_DATA_TYPES.join(', ') }),
    provider: name().meta({ description: 'Slug of a provider or lab' }),
    source_type: name().nullish().meta({ description: 'Null or absent means every source type of the provider' }),
    priority: z
      .number()
      .refine(Number.isSafeInteger, wrongValue('must be a whole number', 'int_type'))
      .meta({ description: 'Whole number; the higher priority wins' }),
  })

/** The data type to read, or to replace even if the body has no rows of that type. An empty string counts as absent. */
export const priorityQuery = () =>
  z.object({ data_type: z.string().max(64).default('').meta({ description: 'Limit the call to this data type' }) })

/** Rows that replace all existing rows of their data types. */
export const priorityRows = () => z.array(row()).max(MOST_ROWS).meta({ id: 'SourcePriorities' })

export const priorityList = () =>
  z
    .array(
      z.object({
        data_type: z.string(),
        provider: z.string(),
        source_type: z.string().nullable(),
        priority: z.int(),
      }),
    )
    .meta({ id: 'SourcePriorityList' })
