/** The declarations of each connector agree: its resources, scopes, collections and mapping tables. */
import { describe, expect, it } from 'vitest'
import { EVENT_RESOURCES } from '../../../src/catalogue/event-types.ts'
import { resourceNamed } from '../../../src/catalogue/resources.ts'
import type { LiveConnector } from '../../../src/connectors/live/live-connector.ts'
import { LIVE_PROVIDERS, liveConnector } from '../../../src/connectors/live/live-connectors.ts'
import { summaryItem } from '../../../src/contract/readings/summary.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../../src/core/sample.ts'
import { STREAM_COLUMNS } from '../../../src/core/stream.ts'

const isKind = (name: string): name is SummaryKind => (SUMMARY_KINDS as readonly string[]).includes(name)

/** Returns whether a name in a mapping table is a resource, a summary, or a field of one. */
function isKnown(to: string): boolean {
  const [kind = '', field = ''] = to.split('.')
  if (field === '') return kind === 'workout_stream' || isKind(kind) || resourceNamed(kind) !== undefined
  if (kind === 'workout_stream') return (STREAM_COLUMNS as readonly string[]).includes(field)
  return isKind(kind) && field in summaryItem(kind).shape
}

/** Returns the resource that a name in a mapping table belongs to. */
function findResource(to: string): string {
  const [kind = ''] = to.split('.')
  return resourceNamed(kind)?.queryName ?? kind
}

/** The resources in the fact sheet that each provider can supply. */
const FILLED: Readonly<Record<string, readonly string[]>> = {
  oura: [
    ...['activity', 'steps', 'distance', 'calories_active', 'calories_basal', 'heartrate', 'hrv', 'respiratory_rate'],
    ...['blood_oxygen', 'body_temperature_delta', 'vo2_max', 'weight', 'body', 'profile', 'sleep', 'sleep_cycle'],
    ...['workouts', 'workout_stream', 'workout_duration', 'workout_distance', 'mindfulness_minutes', 'note'],
  ],
  withings: [
    ...['activity', 'steps', 'distance', 'calories_active', 'calories_basal', 'floors_climbed', 'heartrate', 'hrv'],
    ...['respiratory_rate', 'blood_oxygen', 'blood_pressure', 'weight', 'fat', 'body', 'profile', 'body_temperature'],
    ...['vo2_max', 'sleep', 'sleep_cycle', 'workouts', 'workout_stream', 'workout_duration', 'workout_distance'],
    ...['workout_swimming_stroke', 'sleep_breathing_disturbance', 'electrocardiogram', 'electrocardiogram_voltage'],
  ],
  whoop_v2: [
    ...['activity', 'heartrate', 'hrv', 'respiratory_rate', 'blood_oxygen', 'body_temperature', 'weight', 'body'],
    ...['profile', 'sleep', 'workouts', 'workout_duration', 'workout_distance'],
  ],
  polar: [
    ...['activity', 'steps', 'distance', 'calories_active', 'calories_basal', 'heartrate', 'hrv', 'respiratory_rate'],
    ...['blood_oxygen', 'body_temperature', 'body_temperature_delta', 'weight', 'body', 'profile', 'vo2_max', 'sleep'],
    ...['sleep_cycle', 'workouts', 'workout_stream', 'workout_duration', 'workout_distance'],
    ...['electrocardiogram', 'electrocardiogram_voltage'],
  ],
  google_health: [
    ...['activity', 'steps', 'distance', 'calories_active', 'calories_basal', 'floors_climbed', 'heartrate', 'hrv'],
    ...['respiratory_rate', 'blood_oxygen', 'glucose', 'weight', 'fat', 'body', 'profile', 'body_temperature'],
    ...['body_temperature_delta', 'vo2_max', 'sleep', 'sleep_cycle', 'menstrual_cycle', 'meal', 'carbohydrates'],
    ...['caffeine', 'water', 'electrocardiogram', 'electrocardiogram_voltage'],
    ...['workouts', 'workout_stream', 'workout_duration', 'workout_distance'],
  ],
  dexcom_v3: ['glucose', 'carbohydrates', 'insulin_injection', 'note', 'workouts', 'workout_duration'],
}

async function loadConnector(provider: string): Promise<LiveConnector> {
  const connector = await liveConnector(provider)
  if (!connector) throw new Error(`no connector of ${provider}`)
  return connector
}

describe.each(LIVE_PROVIDERS)('the connector of %s', provider => {
  it('supplies resources that have events, a collection and a mapping', async () => {
    const { resources, collections, scopes, mapping } = await loadConnector(provider)
    expect([...resources].sort()).toEqual([...(FILLED[provider] ?? [])].sort())
    expect(resources.filter(each => !EVENT_RESOURCES.includes(each))).toEqual([])
    expect(new Set(collections.flatMap(each => each.resources))).toEqual(new Set(resources))
    expect(
      scopes.flatMap(each => [...each.resources, ...each.enriches]).filter(each => !resources.includes(each)),
    ).toEqual([])
    const names = scopes.map(each => each.name)
    expect(collections.flatMap(each => each.scopes).filter(each => !names.includes(each))).toEqual([])
    const mapped = new Set(mapping.flatMap(({ to }) => to.split(', ').map(findResource)))
    expect(resources.filter(each => !mapped.has(each))).toEqual([])
  })

  it('maps to resources and fields that exist', async () => {
    const { mapping } = await loadConnector(provider)
    const targets = mapping.flatMap(({ to }) => (to === '' || to === 'the source' ? [] : to.split(', ')))
    expect(targets.filter(to => !isKnown(to))).toEqual([])
    const lines = mapping.map(({ from, to, rule }) => `${from} → ${to} ${rule}`)
    expect(new Set(lines).size).toBe(lines.length)
  })
})
