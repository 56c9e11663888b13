/** Schema of `timeseries.implausible`: how many of a user's samples are outside the limits of their resource. */
import * as z from 'zod'
import { component, dateTime } from '../kernel/primitives.ts'

const entry = () =>
  component('ImplausibleSamples', {
    resource: z.string(),
    provider: z.string(),
    source_type: z.string(),
    limits: z.string().meta({ description: 'The limits as text, such as `1 to 300 bpm`' }),
    samples: z.int().meta({ description: 'Number of samples outside the limits' }),
    of: z.int().meta({ description: 'Number of all samples of this resource and source' }),
    oldest: dateTime().meta({ description: 'Start of the oldest sample outside the limits' }),
    newest: dateTime().meta({ description: 'Start of the newest sample outside the limits' }),
  })

export const implausibleList = () => z.object({ data: z.array(entry()) }).meta({ id: 'ImplausibleList' })
