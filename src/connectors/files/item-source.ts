/** Where items that an application hands in come from: what they are taken to be of, and what they may say. */
import { PROVIDERS, providerNamed } from '../../catalogue/providers.ts'
import { SOURCE_TYPES } from '../../catalogue/source-types.ts'
import { didYouMean } from '../../core/errors.ts'
import { isUuid, ownedId } from '../../core/ids.ts'
import type { Item, ItemReading } from './item.ts'
import { ownIdFor } from './item-ids.ts'

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
  readonly field: 'provider' | 'source_type' | 'device_id'
  /** Ready to follow the name of the item. */
  readonly problem: string
  readonly allowed: string
}

/** What is wrong with where an item says that it is from; undefined when all is right. */
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
  const deviceId =
    item.kind === 'sample' ? item.sample.text?.device_id : item.kind === 'summary' && item.summary.deviceId
  if (deviceId && !isUuid(deviceId)) {
    return { field: 'device_id', problem: 'names a device by what is no UUID', allowed: 'must be a UUID' }
  }
  return undefined
}
