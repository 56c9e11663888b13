/** Where items that an application hands in come from and what they are of: what they are taken for, and what they may say. */
import { PROVIDERS, providerNamed } from '../../../catalogue/providers.ts'
import { neededTypes, resourceNamed } from '../../../catalogue/resources.ts'
import { SOURCE_TYPES } from '../../../catalogue/source-types.ts'
import { didYouMean } from '../../../core/errors.ts'
import { isUuid, ownedId } from '../../../core/ids.ts'
import { ownIdFor } from './ids.ts'
import type { Item, ItemReading } from './item.ts'

/** How the items of an application are read: an id of its own becomes one of the user's. */
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
  /** Ready to follow the name of the item. */
  readonly problem: string
  readonly allowed: string
}

/** What is wrong with where an item says that it is from, or of; undefined when all is right. */
export function sourceProblem(item: Item): ItemSourceProblem | undefined {
  const { provider, sourceType } =
    item.kind === 'sample' ? item.series : item.kind === 'summary' ? item.summary : item.stream
  if (!providerNamed(provider)) {
    const slugs = PROVIDERS.map(each => each.slug)
    const allowed = `must be one of the known providers.${didYouMean(provider, slugs)} \`svc provider list\` shows them`
    return { field: 'provider', problem: 'is of a provider that is not known', allowed }
  }
  if (!(SOURCE_TYPES as readonly string[]).includes(sourceType)) {
    const allowed = `must be one of the source types: ${SOURCE_TYPES.join(', ')}`
    return { field: 'source_type', problem: 'is of a source type that is not known', allowed }
  }
  return deviceProblem(item) ?? typeProblem(item)
}

/** A resource that is several in one (cholesterol) has no sample that does not say which. */
function typeProblem(item: Item): ItemSourceProblem | undefined {
  if (item.kind !== 'sample' || item.series.type !== null) return undefined
  const resource = resourceNamed(item.series.resource)
  const types = resource && neededTypes(resource)
  if (types === undefined) return undefined
  const allowed = `Field required: one of ${types.join(', ')} …`
  return { field: 'type', problem: `of ${item.series.resource} has no type`, allowed }
}

/** What is wrong with the device that an item names; undefined when all is right. */
export function deviceProblem(item: Item): ItemSourceProblem | undefined {
  const deviceId =
    item.kind === 'sample' ? item.sample.text?.device_id : item.kind === 'summary' && item.summary.deviceId
  if (!deviceId || isUuid(deviceId)) return undefined
  return { field: 'device_id', problem: 'names a device by what is no UUID', allowed: 'must be a UUID' }
}
