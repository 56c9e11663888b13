/** Builds example samples of every resource, for event bodies. */
import type { TimeseriesResource } from '../../../catalogue/resources.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput } from '../../../core/sample.ts'
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../core/time.ts'
import sampleValues from './sample-values.json' with { type: 'json' }

/** Two consecutive values for each resource, by path name. */
const VALUES: Readonly<Record<string, readonly number[]>> = sampleValues

const WORKOUT = { sport: 'swimming', workout_id: 'c0ffee00-0000-4000-8000-000000000001' }

/** Returns two samples from one source, the newer one an hour before `at`. */
export function sampleExample(resource: TimeseriesResource, at: EpochMs): SampleBatch {
  const type = resource.discriminator?.[0] ?? null
  const builder = new SampleBatchBuilder({
    resource: resource.name,
    type,
    provider: 'apple_health_kit',
    sourceType: 'watch',
  })
  const last = at - (at % HOUR_MS) - HOUR_MS
  const values = VALUES[resource.name] ?? [1, 2]
  values.forEach((value, i) => {
    const start = last + (i - 1) * 15 * MINUTE_MS
    const input: SampleInput = {
      start,
      end: resource.kind === 'interval' ? start + 15 * MINUTE_MS : start,
      value,
      offset: 3_600,
      text: exampleText(resource),
      ...(resource.shape === 'blood_pressure' ? { second: 76 + i } : {}),
    }
    builder.push(input)
  })
  return builder.take()
}

function exampleText({ name, fields, shape }: TimeseriesResource): SampleInput['text'] {
  const text: Record<string, string> = { app_id: 'com.apple.health' }
  if (name.startsWith('workout_') && name !== 'workout_duration') Object.assign(text, WORKOUT)
  if (fields.includes('intensity')) text['intensity'] = 'medium'
  if (fields.includes('sensor_location')) text['sensor_location'] = 'wrist'
  if (fields.includes('delivery_mode')) {
    Object.assign(text, { delivery_mode: 'bolus', delivery_form: 'standard', bolus_purpose: 'meal' })
  }
  if (fields.includes('tags')) text['tags'] = '["food"]'
  if (shape === 'text') text['content'] = 'Felt well after breakfast'
  return text
}
