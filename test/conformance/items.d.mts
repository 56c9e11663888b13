/** The shapes of items.mjs, for who reads it from TypeScript. */

/** Number in the specification, what it says in our words, references to what shows it. */
export type Item = readonly [id: string, text: string, shownBy: readonly string[]]
export interface Chapter {
  readonly title: string
  readonly items: readonly Item[]
}
export const chapters: readonly Chapter[]
