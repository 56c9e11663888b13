/** The regions a link request may name (interface.md 4.7). */

/** Every region of the interface; which of them a provider offers is in `Provider.regions`. */
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

/** Whether the text is one of the interface's regions. */
export function isRegion(text: string): text is Region {
  return (REGIONS as readonly string[]).includes(text)
}
