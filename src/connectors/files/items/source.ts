/** The source and type of items that an application pushes: their defaults, and the allowed values. */
import type { ProviderRegistry } from '../../../catalogue/providers.ts'
import { neededTypes, resourceNamed } from '../../../catalogue/resources.ts'
import { SOURCE_TYPES } from '../../../catalogue/source-types.ts'
import { didYouMean } from '../../../core/errors.ts'
import { isUuid, ownedId } from '../../../core/ids.ts'
import { ownIdFor } from './ids.ts'
import type { Item, ItemReading } from './item.ts'

/** Returns the settings for reading an application's items. The application's IDs become the user's IDs. */
export function pushReading(
  userId: string,
  timeZone: string | null,
  stated: { readonly provider: string | null; readonly sourceType: string | null },
): ItemReading {
  return {
    provider: stated.provider ?? 'manual',
    sourceType: stated.sourceType ?? 'unknown',
    timeZone,
    idOf: id => ownIdFor(userId, id),
    newId: (kind, provider, sourceType, at) => ownedId(userId, kind, provider, sourceType, at),
  }
}

export interface ItemSourceProblem {
  readonly field: 'provider' | 'source_type' | 'device_id' | 'type'
  /** The problem, as a text that follows the item's name. */
  readonly problem: string
  readonly allowed: string
}

/** Returns the problem with an item's source or type; undefined if both are valid. */
export function sourceProblem(item: Item, providers: ProviderRegistry): ItemSourceProblem | undefined {
  const { provider, sourceType } =
    item.kind === 'sample' ? item.series : item.kind === 'summary' ? item.summary : item.stream
  if (!providers.find(provider)) {
    const allowed = `must be one of the known providers.${didYouMean(provider, providers.slugs)} \`svc provider list\` lists them`
    return { field: 'provider', problem: 'has an unknown provider', allowed }
  }
  if (!(SOURCE_TYPES as readonly string[]).includes(sourceType)) {
    const allowed = `must be one of the source types: ${SOURCE_TYPES.join(', ')}`
    return { field: 'source_type', problem: 'has an unknown source type', allowed }
  }
  return deviceProblem(item) ?? typeProblem(item)
}

/** Returns the problem with an item's type. Samples of a resource that covers several types (cholesterol) must include their type. */
function typeProblem(item: Item): ItemSourceProblem | undefined {
  if (item.kind !== 'sample' || item.series.type !== null) return undefined
  const resource = resourceNamed(item.series.resource)
  const types = resource && neededTypes(resource)
  if (types === undefined) return undefined
  const allowed = `Field required: one of ${types.join(', ')} …`
  return { field: 'type', problem: `of ${item.series.resource} has no type`, allowed }
}

/** Returns the problem with an item's device; undefined if the device is valid. */
export function deviceProblem(item: Item): ItemSourceProblem | undefined {
  const deviceId =
    item.kind === 'sample' ? item.sample.text?.device_id : item.kind === 'summary' ? item.summary.deviceId : null
  // an empty text is not a UUID either
  if (deviceId === undefined || deviceId === null || isUuid(deviceId)) return undefined
  return { field: 'device_id', problem: 'has a device_id that is not a UUID', allowed: 'must be a UUID' }
}
