/** Schemas of a user's devices. See docs/interface/users.md#users-24. */
import * as z from 'zod'
import { component, lowerUuid, userId, uuid } from '../kernel/primitives.ts'

/** A device. Its `id` is the `device_id` in the `source` of samples and summaries. */
export const device = () =>
  component('Device', {
    id: uuid(),
    user_id: userId(),
    provider: z.string(),
    source_type: z.string(),
    app_id: z.string().nullable(),
    device_manufacturer: z.string().nullable(),
    device_model: z.string().nullable(),
    device_version: z.string().nullable(),
    device_id: z.string().nullable(),
  })

export const deviceList = () => z.array(device())
export const deviceParams = () => z.object({ user_id: userId(), device_id: lowerUuid() })
