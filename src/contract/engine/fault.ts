/** Schemas of the operator operations on faults: failures and delays that servers on a data folder make on purpose. */
import * as z from 'zod'
import { component, dateTime, line, wholeNumber, wrongValue } from '../kernel/primitives.ts'

export const FAULT_EFFECTS = ['status', 'latency', 'drop', 'cut'] as const
export const FAULT_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const
/** Lowest status with which a fault may respond. */
export const LEAST_FAULT_STATUS = 400
export const MOST_FAULT_STATUS = 599
export const MOST_FAULT_LATENCY_MS = 120_000
const MOST_PATH_CHARACTERS = 512
const MOST_SEED_CHARACTERS = 100
const MOST_TIMES = 1_000_000_000

const where = () => ({
  method: z.enum(FAULT_METHODS).nullable().default(null).meta({ description: 'HTTP method; null for every method' }),
  path: line(MOST_PATH_CHARACTERS)
    .refine(path => path.startsWith('/'), wrongValue('must begin with /'))
    .default('/*')
    .meta({
      description:
        'Path pattern: * matches any characters, {name} one segment. Only patterns that begin with /svc/ match paths under /svc/.',
    }),
  probability: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .meta({ description: 'Probability that a matching request is affected' }),
  times: z
    .int()
    .min(1)
    .max(MOST_TIMES)
    .nullable()
    .default(null)
    .meta({ description: 'Maximum number of requests to affect, counted by each server; null for no limit' }),
  seed: line(MOST_SEED_CHARACTERS)
    .nullable()
    .default(null)
    .meta({ description: "Seed that decides which requests are affected; null for the server's --fault-seed" }),
})

const status = () => z.int().min(LEAST_FAULT_STATUS).max(MOST_FAULT_STATUS)
const latencyMs = () => z.int().min(1).max(MOST_FAULT_LATENCY_MS)

export const newFault = () =>
  z
    .discriminatedUnion('effect', [
      z.strictObject({ effect: z.literal('status'), status: status(), ...where() }),
      z.strictObject({ effect: z.literal('latency'), latency_ms: latencyMs(), ...where() }),
      z.strictObject({ effect: z.literal('drop'), ...where() }),
      z.strictObject({ effect: z.literal('cut'), ...where() }),
    ])
    .meta({ id: 'NewFault' })

export const faultView = () =>
  component('Fault', {
    fault_id: z.int(),
    method: z.string().nullable(),
    path: z.string(),
    effect: z.enum(FAULT_EFFECTS).meta({
      description:
        'status: respond with this status; latency: delay the response; drop: close the connection without a response; cut: close the ' +
        'connection in the middle of the body',
    }),
    status: z.int().nullable(),
    latency_ms: z.int().nullable(),
    probability: z.number(),
    times: z.int().nullable(),
    seed: z.string().nullable(),
    created_at: dateTime(),
  })

export const faultList = () => z.object({ faults: z.array(faultView()) }).meta({ id: 'FaultList' })

export const faultChoice = () =>
  z.object({
    fault_id: wholeNumber(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: 'Id of the fault to remove; without it, all faults are removed' }),
  })

export const clearedFaults = () => z.object({ cleared: z.int() }).meta({ id: 'ClearedFaults' })
