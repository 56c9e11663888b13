/** Schemas of the list of timeseries resources, with everything that a client needs to read and chart them. */
import * as z from 'zod'
import { component } from '../kernel/primitives.ts'

const entry = () =>
  component('TimeseriesResource', {
    resource: z.string().meta({ description: 'Name in the path' }),
    event_name: z.string().meta({ description: 'Name in events, introspection and aggregate queries' }),
    kind: z.enum(['sample', 'interval']),
    shape: z.enum(['value', 'blood_pressure', 'text']).meta({
      description: 'Kind of value in a sample: a number, systolic and diastolic pressure, or a text',
    }),
    unit: z.string(),
    meaning: z.string(),
    is_amount: z.boolean().meta({ description: 'Whether values add up over time; draw them as bars from zero' }),
    has_type_in_key: z.boolean().meta({ description: 'Whether samples of different types are separate series' }),
    types: z.array(z.string()).meta({ description: 'Documented values of such a type' }),
  })

export const resourceList = () => z.object({ data: z.array(entry()) }).meta({ id: 'TimeseriesResourceList' })
