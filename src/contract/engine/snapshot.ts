/** Our own operations on whole states of the store: snapshots that are kept by name, going back to one, and starting anew. */
import { z } from 'zod'
import { dateTime } from '../kernel/primitives.ts'

const MOST_NAME_CHARACTERS = 64
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Becomes the name of a file. */
export const snapshotName = () =>
  z
    .string()
    .min(1)
    .max(MOST_NAME_CHARACTERS)
    .refine(name => NAME.test(name), {
      message: 'must contain only letters, digits, ".", "_" and "-", and begin with a letter or digit',
      params: { type: 'value_error' },
    })

export const snapshotParams = () => z.object({ name: snapshotName() })

export const newSnapshot = () =>
  z
    .strictObject({
      name: snapshotName(),
      replace: z.boolean().default(false).meta({ description: 'Replace an existing snapshot of this name' }),
    })
    .meta({ id: 'NewSnapshot' })

/** A snapshot that is kept in the data folder. */
export const snapshotView = () =>
  z
    .object({
      name: z.string(),
      saved_at: dateTime().meta({ description: 'Real time' }),
      clock: dateTime().meta({ description: "Time of the engine's clock then" }),
      frozen: z.boolean().meta({ description: 'Whether the clock was frozen' }),
      users: z.number().int().meta({ description: 'Active users' }),
      size_bytes: z.number().int(),
      schema_version: z.number().int(),
    })
    .meta({ id: 'Snapshot' })

export const snapshotList = () => z.object({ snapshots: z.array(snapshotView()) }).meta({ id: 'SnapshotList' })

const replaced = () => ({
  users_before: z.number().int().meta({ description: 'Number of active users at that time' }),
  users_after: z.number().int().meta({ description: 'Active users now' }),
  epoch: z.number().int().meta({ description: 'Number of times the store was replaced, including this time' }),
  clock: dateTime().meta({ description: "Time of the engine's clock now" }),
  frozen: z.boolean().meta({ description: 'Whether the clock is frozen' }),
})

export const restored = () => z.object({ name: z.string(), ...replaced() }).meta({ id: 'RestoredSnapshot' })

export const emptied = () =>
  z
    .object({
      ...replaced(),
      scrubbed: z.boolean().meta({
        description:
          'Whether the files were rebuilt without the old data; false if a reader is in the way and the job stays due',
      }),
    })
    .meta({ id: 'EngineReset' })

/** So that nobody empties a store by calling an address. */
export const resetRequest = () =>
  z
    .strictObject({ confirm: z.literal('reset').meta({ description: 'The word "reset"' }) })
    .meta({ id: 'EngineResetRequest' })
