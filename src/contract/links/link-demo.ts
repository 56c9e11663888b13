/** Schemas of demo connections, which give a user 7 days of synthetic data. See docs/interface/connections.md#connections-12. */
import * as z from 'zod'
import { userId } from '../kernel/primitives.ts'

/** Providers that support demo connections. */
export const DEMO_PROVIDERS = ['apple_health_kit', 'fitbit', 'freestyle_libre', 'oura'] as const

export const demoRequest = () =>
  z.object({ user_id: userId(), provider: z.enum(DEMO_PROVIDERS) }).meta({ id: 'DemoRequest' })

export const demoReply = () => z.object({ success: z.boolean(), detail: z.string() }).meta({ id: 'DemoConnection' })
