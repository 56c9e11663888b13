/** Recognizes the family of a browser, for the list of sessions. Versions and systems are not stored. */

/** The part of a User-Agent header that identifies a family. The order matters, because most browsers also claim to be others. */
const FAMILIES: readonly (readonly [family: string, mark: RegExp])[] = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
]

/** Returns the family, or an empty text if it is unknown. */
export function browserFamily(userAgent = ''): string {
  return FAMILIES.find(([, mark]) => mark.test(userAgent))?.[0] ?? ''
}
