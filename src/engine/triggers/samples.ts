/** Causes daily sample events by pushing new samples, or the newest samples with other values. */
import { resourceEvent } from '../../catalogue/event-types.ts'
import { resourceQueried, type TimeseriesResource } from '../../catalogue/resources.ts'
import { sampleLines } from '../../connectors/files/items/lines.ts'
import { type EpochMs, formatInstant, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import { zoneOffset } from '../../core/zones.ts'
import { sampleExample } from '../events/examples/sample-examples.ts'
import { type Cause, cannot, type TriggerCause } from './cause.ts'
import { refuseGiven } from './given.ts'
import { heldSamples, newestSamples } from './held-samples.ts'
import { isSourceGiven, parsePushedItem, push, pushChanged, type TriggerItem } from './push.ts'
import { type Source, sourceFor } from './source.ts'

/** Time between two created samples, and the length of an interval. */
const INSTANT_STEP_MS = MINUTE_MS
const INTERVAL_MS = 15 * MINUTE_MS
/** Fields that are in the body's source object. */
const OF_SOURCE = ['provider', 'type', 'app_id', 'device_id', 'workout_id', 'sport'] as const

export const changeSamples: Cause = async wanted => {
  const about = resourceEvent(wanted.type)
  const resource = about && resourceQueried(about.resource)
  if (!about || !resource) throw new Error(`no timeseries resource of ${wanted.type}`)
  refuseGiven(wanted.given, allowedPaths(resource))
  const example = exampleItem(resource, wanted.call.now)
  const usual = { provider: String(example['provider']), sourceType: String(example['source_type']) }
  const source = await sourceFor(wanted, about.resource, usual)
  const add = async (asked: TriggerCause): Promise<void> => {
    for (const item of await newItems(asked, resource, source)) await push(asked, item)
  }
  if (about.change !== 'updated') return add(wanted)
  const found = isSourceGiven(wanted) ? source : null
  const change = (item: TriggerItem): TriggerItem => changed(wanted, item)
  await pushChanged(wanted, { find: () => newestSamples(wanted, resource, found, change), add, changed: change })
}

/** Returns the paths that can be set with `set`. */
function allowedPaths(resource: TimeseriesResource): string[] {
  const values = resource.shape === 'blood_pressure' ? ['systolic', 'diastolic'] : ['value']
  const end = resource.kind === 'interval' ? ['end'] : []
  const type = resource.discriminator === undefined ? [] : ['type']
  const own = [...values, 'unit', ...end, 'timezone_offset', ...type, ...resource.fields]
  return [...new Set(own), ...OF_SOURCE.map(name => `source.${name}`)].map(name => `data.${name}`)
}

/** Returns new samples, oldest first, at times for which the source has none. Throws 409 if there already is a sample at the given time. */
async function newItems(wanted: TriggerCause, resource: TimeseriesResource, source: Source): Promise<TriggerItem[]> {
  const { call, user, at, count } = wanted
  const isInterval = resource.kind === 'interval'
  const stepMs = isInterval ? INTERVAL_MS : INSTANT_STEP_MS
  const now = call.now - (call.now % SECOND_MS)
  const last = at ?? (isInterval ? now - INTERVAL_MS : now)
  const first = last - count * stepMs - count * SECOND_MS
  const made = exampleItem(resource, call.now)
  // the app in the example belongs to another provider
  const example = made['provider'] === source.provider ? made : { ...made, app_id: null }
  const held = await heldSamples(wanted, resource, source, first - MINUTE_MS, last)
  const taken = new Set(held)
  if (at !== null && taken.has(at)) {
    throw cannot(
      `${source.provider} already has a sample of ${resource.name} at that time.`,
      'Choose another --at, or trigger the updated event.',
    )
  }
  const zone = user.fallbackTimeZone?.value
  return Array.from({ length: count }, (_, i) => {
    let start = last - (count - 1 - i) * stepMs
    while (taken.has(start)) start -= SECOND_MS
    taken.add(start)
    return withGiven(wanted, { ...example, ...sourceFields(source), ...timeFields(resource, start, zone) })
  })
}

/** Returns the sample with the requested values, or otherwise with another value of the same kind. */
function changed(wanted: TriggerCause, item: TriggerItem): TriggerItem {
  const isAsked = wanted.given.some(each => each.parts[0] !== 'source')
  if (isAsked) return withGiven(wanted, item)
  const field = 'systolic' in item ? 'systolic' : 'value'
  return withGiven(wanted, { ...item, [field]: other(item[field]) })
}

function other(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value + 1 : Math.round((value + 0.1) * 1e6) / 1e6
  return typeof value === 'string' ? `${value} (changed)` : 'Changed'
}

function withGiven({ given }: TriggerCause, item: TriggerItem): TriggerItem {
  const fields: Record<string, unknown> = { ...item }
  for (const { parts, value } of given) {
    const [name, inner] = parts
    if (name !== 'source') fields[name as string] = value
    else if (inner === 'type') fields['source_type'] = value
    else fields[inner as string] = value
  }
  return fields
}

function exampleItem(resource: TimeseriesResource, at: EpochMs): TriggerItem {
  const batch = sampleExample(resource, at)
  const [lines = ''] = sampleLines(batch.series, batch)
  const [line = ''] = lines.split('\n')
  return parsePushedItem(line)
}

function sourceFields({ provider, sourceType }: Source): TriggerItem {
  return { provider, source_type: sourceType }
}

function timeFields(resource: TimeseriesResource, start: EpochMs, zone: string | undefined): TriggerItem {
  const at = formatInstant(start)
  return {
    timestamp: at,
    start: at,
    end: resource.kind === 'interval' ? formatInstant(start + INTERVAL_MS) : null,
    timezone_offset: zone === undefined ? 0 : zoneOffset(zone, start),
  }
}
