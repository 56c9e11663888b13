/** Which provider and kind of device a FIT file is from, by what it says of its maker and its purpose. */
import { providerNamed } from '../../../catalogue/providers.ts'

/** Providers of the catalogue by the manufacturer's number in the FIT profile; all others are `manual`. */
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
 * The source of a file with these numbers in its `file_id`. The device is what the type of the file says, else the main one of
 * the provider, else `unknown`.
 */
export function fitSource(manufacturer: number | undefined, fileType: number | undefined): FitSource {
  const provider = PROVIDERS.get(manufacturer ?? -1) ?? 'manual'
  const sourceType = SOURCE_TYPES.get(fileType ?? -1) ?? providerNamed(provider)?.sourceTypes[0] ?? 'unknown'
  return { provider, sourceType }
}
