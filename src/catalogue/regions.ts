/** The regions that a link request may name. See docs/interface/linking.md#linking-5. */

/** Every region of the interface. `Provider.regions` lists those that a provider offers. */
export const REGIONS = [
  'us',
  'eu',
  'de',
  'fr',
  'ca',
  'br',
  'ar',
  'cl',
  'co',
  'mx',
  'gb',
  'ie',
  'au',
  'nz',
  'nl',
  'at',
  'be',
  'bh',
  'ch',
  'cz',
  'dk',
  'eg',
  'es',
  'fi',
  'gr',
  'hr',
  'il',
  'it',
  'jo',
  'kw',
  'lb',
  'lu',
  'no',
  'om',
  'pl',
  'pt',
  'qa',
  'sa',
  'se',
  'si',
  'sk',
  'tr',
  'za',
  'in',
  'sg',
  'hk',
  'kr',
  'ph',
  'tw',
] as const

export type Region = (typeof REGIONS)[number]

/** Returns whether the text is one of the interface's regions. */
export function isRegion(text: string): text is Region {
  return (REGIONS as readonly string[]).includes(text)
}
