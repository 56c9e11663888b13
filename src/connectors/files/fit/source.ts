/** Determines a FIT file's provider and kind of device from its manufacturer and file type. */
import { SHIPPED_REGISTRY } from '../../../catalogue/providers.ts'

/** Providers in the catalogue by manufacturer number in the FIT profile. All other manufacturers are `manual`. */
const PROVIDERS: ReadonlyMap<number, string> = new Map([
  [1, 'garmin'],
  [2, 'garmin'],
  [19, 'beurer_api'],
  [32, 'wahoo'],
  [123, 'polar'],
  [144, 'zwift'],
  [260, 'zwift'],
  [265, 'strava'],
  [289, 'hammerhead'],
  [305, 'whoop'],
  [340, 'peloton'],
])

/** File types of scales and blood pressure monitors. */
const SOURCE_TYPES: ReadonlyMap<number, string> = new Map([
  [9, 'scale'],
  [14, 'cuff'],
])

export interface FitSource {
  readonly provider: string
  readonly sourceType: string
}

/**
 * Returns the source for the numbers in a file's `file_id`. The device is the file type's, or else the provider's main device, or else
 * `unknown`.
 */
export function fitSource(manufacturer: number | undefined, fileType: number | undefined): FitSource {
  const provider = PROVIDERS.get(manufacturer ?? -1) ?? 'manual'
  const sourceType = SOURCE_TYPES.get(fileType ?? -1) ?? SHIPPED_REGISTRY.find(provider)?.sourceTypes[0] ?? 'unknown'
  return { provider, sourceType }
}
