/** Demo connections: a user with synthetic data for 7 days (interface-gaps 2.5). */
import { z } from 'zod'
import { userId } from '../kernel/primitives.ts'

/** What a demo can be of. */
export const DEMO_PROVIDERS = ['apple_health_kit', 'fitbit', 'freestyle_libre', 'oura'] as const

export const demoRequest = () =>
  z.object({ user_id: userId(), provider: z.enum(DEMO_PROVIDERS) }).meta({ id: 'DemoRequest' })

export const demoReply = () => z.object({ success: z.boolean(), detail: z.string() }).meta({ id: 'DemoConnection' })
