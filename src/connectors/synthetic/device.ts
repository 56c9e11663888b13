/** Chooses the device for each of a provider's resources. */
import type { Provider } from '../../catalogue/provider.ts'
import type { SourceType } from '../../catalogue/source-types.ts'

const BODY: readonly SourceType[] = ['watch', 'ring', 'phone', 'app', 'multiple_sources', 'unknown', 'chest_strap']
const SCALE: readonly SourceType[] = ['scale', 'app']
/** Source types for manually entered data. */
const DIARY: readonly SourceType[] = ['app', 'phone']

const PREFERRED: Readonly<Record<string, readonly SourceType[]>> = {
  glucose: ['automatic', 'manual_scan', 'fingerprick'],
  insulin_injection: ['insulin_pump', 'app'],
  carbohydrates: ['app', 'insulin_pump'],
  blood_pressure: ['cuff'],
  weight: SCALE,
  fat: SCALE,
  body: SCALE,
  electrocardiogram: ['watch', 'unknown'],
  profile: DIARY,
  menstrual_cycle: DIARY,
  meal: DIARY,
  water: DIARY,
  caffeine: DIARY,
  note: DIARY,
  mindfulness_minutes: DIARY,
  workouts: ['watch', 'exercise_machine', 'chest_strap', 'ring', 'phone', 'app'],
}

/**
 * Returns a resource's source type at a provider, which is the type of the most suitable device. The resource is a key of
 * `supportedResources`.
 */
export function preferredSourceType(provider: Provider, resource: string): SourceType {
  const preferred = PREFERRED[resource] ?? BODY
  return preferred.find(type => provider.sourceTypes.includes(type)) ?? provider.sourceTypes[0] ?? 'unknown'
}
