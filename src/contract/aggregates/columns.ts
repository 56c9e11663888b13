/** Schemas of the tables, columns, functions and units that aggregate queries can use. See docs/interface/aggregates.md. */
import * as z from 'zod'
import { component } from '../kernel/primitives.ts'

const column = () =>
  component('QueryColumn', {
    column: z.string().meta({ description: 'Name as on the command line, such as efficiency or steps.value' }),
    type: z.string().meta({ description: 'float, int, text, time, date, bool or list' }),
    meaning: z.string(),
    unit: z.string().nullable().meta({ description: 'Unit of a number; null if it has none' }),
    expression: z
      .record(z.string(), z.string())
      .nullable()
      .meta({ description: 'The column in a query; null for lists and their fields, which only a sub-query reads' }),
  })

/** All tables, columns, functions and units that a query can use. The lists are the same for all teams. */
export const queryColumns = () =>
  component('QueryColumns', {
    tables: z.array(
      component('QueryTable', {
        table: z.string(),
        meaning: z.string(),
        index_meaning: z.string().meta({ description: 'What the time of a row stands for' }),
        columns: z.array(column()),
      }),
    ),
    functions: z.array(
      component('QueryFunction', {
        name: z.string(),
        meaning: z.string(),
        takes: z.array(z.string()).meta({ description: 'Column types that the function accepts' }),
      }),
    ),
    period_units: z.array(z.string()),
    date_parts: z.array(z.string()),
  })
