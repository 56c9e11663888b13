/** Schemas of the operator operations that save, restore, replace or empty the whole store. */
import * as z from 'zod'
import { component, dateTime, strictComponent, wrongValue } from '../kernel/primitives.ts'

const MOST_NAME_CHARACTERS = 64
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** A snapshot's name, which is also used as a file name. */
export const snapshotName = () =>
  z
    .string()
    .min(1)
    .max(MOST_NAME_CHARACTERS)
    .refine(
      name => NAME.test(name),
      wrongValue('must contain only letters, digits, ".", "_" and "-", and begin with a letter or digit'),
    )

export const snapshotParams = () => z.object({ name: snapshotName() })

export const newSnapshot = () =>
  strictComponent('NewSnapshot', {
    name: snapshotName(),
    replace: z.boolean().default(false).meta({ description: 'Replace an existing snapshot of this name' }),
  })

/** A snapshot in the data folder. */
export const snapshotView = () =>
  component('Snapshot', {
    name: z.string(),
    saved_at: dateTime().meta({ description: 'Real time at which the snapshot was saved' }),
    clock: dateTime().meta({ description: "Time on the engine's clock when the snapshot was saved" }),
    frozen: z.boolean().meta({ description: 'Whether the clock was frozen when the snapshot was saved' }),
    users: z.int().meta({ description: 'Number of active users' }),
    size_bytes: z.int(),
    schema_version: z.int(),
  })

export const snapshotList = () => z.object({ snapshots: z.array(snapshotView()) }).meta({ id: 'SnapshotList' })

const replaced = () => ({
  users_before: z.int().meta({ description: 'Number of active users before the call' }),
  users_after: z.int().meta({ description: 'Number of active users after the call' }),
  epoch: z.int().meta({ description: 'Number of times the store was restored or emptied, including this time' }),
  clock: dateTime().meta({ description: "Time on the engine's clock after the call" }),
  frozen: z.boolean().meta({ description: 'Whether the clock is frozen after the call' }),
})

export const restored = () => z.object({ name: z.string(), ...replaced() }).meta({ id: 'RestoredSnapshot' })

export const emptied = () =>
  component('EngineReset', {
    ...replaced(),
    scrubbed: z.boolean().meta({
      description:
        'Whether the old data was scrubbed from the files; false if a reader blocked it and the scrub job is still due',
    }),
    not_revoked: z.int().meta({
      description: 'Number of live connections whose access could not be ended at the provider',
    }),
  })

/** The body that confirms emptying the store, so that an accidental request to the URL cannot do it. */
export const resetRequest = () =>
  z
    .strictObject({ confirm: z.literal('reset').meta({ description: 'The word "reset", as confirmation' }) })
    .meta({ id: 'EngineResetRequest' })
