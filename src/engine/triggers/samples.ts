/** Causes daily events of samples: pushes new ones, or the newest ones with other values. */
import { resourceEvent } from '../../catalogue/event-types.ts'
import { resourceQueried, type TimeseriesResource } from '../../catalogue/resources.ts'
import { sampleLines } from '../../connectors/files/items/lines.ts'
import { type EpochMs, formatInstant, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import { zoneOffset } from '../../core/zones.ts'
import { sampleExample } from '../events/examples/sample-examples.ts'
import { storePushed } from '../intake/pushes.ts'
import { type Cause, cannot, type Wanted } from './cause.ts'
import { refuseGiven } from './given.ts'
import { heldSamples, newestSamples, type SampleItem } from './held-samples.ts'
import { type Source, sourceFor } from './source.ts'

/** Time between two samples that are created, and length of an interval. */
const INSTANT_STEP_MS = MINUTE_MS
const INTERVAL_MS = 15 * MINUTE_MS
/** Fields that are inside the source in the body. */
const OF_SOURCE = ['provider', 'type', 'app_id', 'device_id', 'workout_id', 'sport'] as const

export const changeSamples: Cause = async wanted => {
  const about = resourceEvent(wanted.type)
  const resource = about && resourceQueried(about.resource)
  if (!about || !resource) throw new Error(`no timeseries resource of ${wanted.type}`)
  refuseGiven(wanted.given, allowedPaths(resource))
  const example = exampleItem(resource, wanted.call.now)
  const usual = { provider: example['provider'] as string, sourceType: example['source_type'] as string }
  const source = await sourceFor(wanted, about.resource, usual)
  if (about.change === 'updated') await updateSamples(wanted, resource, source)
  else for (const item of await newItems(wanted, resource, source, wanted.count)) await push(wanted, item)
}

/** Returns the paths that `set` may name. */
function allowedPaths(resource: TimeseriesResource): string[] {
  const values = resource.shape === 'blood_pressure' ? ['systolic', 'diastolic'] : ['value']
  const end = resource.kind === 'interval' ? ['end'] : []
  const type = resource.discriminator === undefined ? [] : ['type']
  const own = [...values, 'unit', ...end, 'timezone_offset', ...type, ...resource.fields]
  return [...new Set(own), ...OF_SOURCE.map(name => `source.${name}`)].map(name => `data.${name}`)
}

/** Returns new samples at times at which the source has none, oldest first. Throws 409 if there is one at the named time. */
async function newItems(
  wanted: Wanted,
  resource: TimeseriesResource,
  source: Source,
  count: number,
): Promise<SampleItem[]> {
  const { call, user, at } = wanted
  const isInterval = resource.kind === 'interval'
  const stepMs = isInterval ? INTERVAL_MS : INSTANT_STEP_MS
  const now = call.now - (call.now % SECOND_MS)
  const last = at ?? (isInterval ? now - INTERVAL_MS : now)
  const first = last - count * stepMs - count * SECOND_MS
  const made = exampleItem(resource, call.now)
  // the app of the example belongs to another provider
  const example = made['provider'] === source.provider ? made : { ...made, app_id: null }
  const held = await heldSamples(wanted, resource, source, first - MINUTE_MS, last)
  const taken = new Set(held)
  if (at !== null && taken.has(at)) {
    throw cannot(
      `${source.provider} already has a sample of ${resource.name} at that time.`,
      'Name another --at, or trigger the updated event.',
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

async function updateSamples(wanted: Wanted, resource: TimeseriesResource, source: Source): Promise<void> {
  const isNamed = wanted.given.some(
    each => each.parts[0] === 'source' && ['provider', 'type'].includes(each.parts[1] ?? ''),
  )
  const find = (): Promise<SampleItem[]> =>
    newestSamples(wanted, resource, isNamed ? source : null, item => changed(wanted, item))
  let items = await find()
  const missing = wanted.count - items.length
  if (missing > 0) {
    // with other values than requested, so that there is something to change
    const plain = { ...wanted, given: wanted.given.filter(each => each.parts[0] === 'source') }
    for (const item of await newItems(plain, resource, source, missing)) await push(wanted, item)
    items = await find()
  }
  for (const item of items) await push(wanted, changed(wanted, item))
}

/** Returns the sample with the requested values, or with another value of its own kind. */
function changed(wanted: Wanted, item: SampleItem): SampleItem {
  const isAsked = wanted.given.some(each => each.parts[0] !== 'source')
  if (isAsked) return withGiven(wanted, item)
  const field = 'systolic' in item ? 'systolic' : 'value'
  return withGiven(wanted, { ...item, [field]: other(item[field]) })
}

function other(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value + 1 : Math.round((value + 0.1) * 1e6) / 1e6
  return typeof value === 'string' ? `${value} (changed)` : 'Changed'
}

function withGiven({ given }: Wanted, item: SampleItem): SampleItem {
  const fields: Record<string, unknown> = { ...item }
  for (const { parts, value } of given) {
    const [name, inner] = parts
    if (name !== 'source') fields[name as string] = value
    else if (inner === 'type') fields['source_type'] = value
    else fields[inner as string] = value
  }
  return fields
}

async function push({ engine, user, call }: Wanted, value: SampleItem): Promise<void> {
  const { body } = await storePushed(engine, user, [{ value, loc: ['body', 'set', 'data'] }], call)
  if (body.dropped > 0) throw cannot("The time is outside the user's ingestion bounds.", 'Name another --at.')
}

function exampleItem(resource: TimeseriesResource, at: EpochMs): SampleItem {
  const batch = sampleExample(resource, at)
  const [lines = ''] = sampleLines(batch.series, batch)
  const [line = ''] = lines.split('\n')
  return JSON.parse(line) as SampleItem
}

function sourceFields({ provider, sourceType }: Source): SampleItem {
  return { provider, source_type: sourceType }
}

function timeFields(resource: TimeseriesResource, start: EpochMs, zone: string | undefined): SampleItem {
  const at = formatInstant(start)
  return {
    timestamp: at,
    start: at,
    end: resource.kind === 'interval' ? formatInstant(start + INTERVAL_MS) : null,
    timezone_offset: zone === undefined ? 0 : zoneOffset(zone, start),
  }
}
