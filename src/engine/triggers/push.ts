/** Pushes synthetic data: new items, or the newest items with other values. */
import { asObject } from '../../connectors/shared/json-fields.ts'
import { storePushed } from '../intake/pushes.ts'
import { cannot, type TriggerCause } from './cause.ts'

/** A sample, summary or stream in push format (docs/samples.md). */
export type TriggerItem = Readonly<Record<string, unknown>>

/** Pushes all items in one call. Throws 409 if an item is outside the user's ingestion bounds. */
export async function push({ engine, user, call }: TriggerCause, ...values: readonly TriggerItem[]): Promise<void> {
  const items = values.map(value => ({ value, loc: ['body', 'set', 'data'] }))
  const { body } = await storePushed(engine, user, items, call)
  if (body.dropped > 0) throw cannot("The time is outside the user's ingestion bounds.", 'Choose another --at.')
}

export interface Update {
  /** Returns the newest items that `changed` would alter, up to the requested number. */
  readonly find: () => Promise<readonly TriggerItem[]>
  /** Pushes the requested number of new items. */
  readonly add: (wanted: TriggerCause) => Promise<void>
  readonly changed: (item: TriggerItem) => TriggerItem
}

/** Pushes the newest items with other values, after adding any missing items. */
export async function pushChanged(wanted: TriggerCause, { find, add, changed }: Update): Promise<void> {
  let items = await find()
  const missing = wanted.count - items.length
  if (missing > 0) {
    // use other values than those requested, so that there is something to change
    const given = wanted.given.filter(each => each.parts[0] === 'source')
    await add({ ...wanted, given, count: missing })
    items = await find()
  }
  for (const item of items) await push(wanted, changed(item))
}

/** Returns whether the call specified the source of the data. */
export function isSourceGiven({ given }: TriggerCause): boolean {
  return given.some(({ parts }) => parts[0] === 'source' && (parts[1] === 'provider' || parts[1] === 'type'))
}

/** Parses a line in push format. */
export function parsePushedItem(line: string): TriggerItem {
  return asObject(JSON.parse(line)) ?? {}
}

export function isSame(a: TriggerItem, b: TriggerItem): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
