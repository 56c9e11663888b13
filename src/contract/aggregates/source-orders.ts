/** Schemas of the order of sources in merges. See docs/interface/merging.md#merging-18. */
import * as z from 'zod'
import { METRIC_GROUPS } from '../../catalogue/metric-groups.ts'
import { userId, wrongValue } from '../kernel/primitives.ts'

const MOST_SOURCES = 100
const name = () => z.string().min(1).max(256)

/** The sources that have all of these values. The engine checks the names and suggests the nearest ones. */
const source = () =>
  z
    .strictObject({
      provider: name().nullish().meta({ description: 'Slug of a provider' }),
      source_type: name().nullish().meta({ description: 'Source type such as watch' }),
      app_id: name().nullish().meta({ description: 'App, as in the source of samples' }),
      device_id: name().nullish().meta({ description: 'Device, as in the source of samples' }),
    })
    .refine(
      each => Object.values(each).some(value => value !== null && value !== undefined),
      wrongValue('must have a provider, source_type, app_id or device_id'),
    )

export const sourceOrderQuery = () =>
  z.object({ user_id: userId().optional().meta({ description: 'User of the order; the team if absent' }) })

export const sourceOrderParams = () => z.object({ metric_group: z.enum(METRIC_GROUPS) })

export const sourceOrderChange = () =>
  z
    .strictObject({
      sources: z.array(source()).max(MOST_SOURCES).meta({ description: 'Best first; empty removes the order' }),
    })
    .meta({ id: 'SourceOrderChange' })

export const sourceOrderList = () =>
  z
    .object({
      source_orders: z.array(
        z.object({
          metric_group: z.string(),
          of: z.enum(['user', 'team']),
          sources: z.array(
            z.object({
              provider: z.string().nullable(),
              source_type: z.string().nullable(),
              app_id: z.string().nullable(),
              device_id: z.string().nullable(),
            }),
          ),
        }),
      ),
    })
    .meta({ id: 'SourceOrderList' })
