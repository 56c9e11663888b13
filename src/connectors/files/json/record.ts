/** The form in which the records of a JSON file are returned, and a helper for reading until something fails. */

export type JsonRecord =
  /** A document on its own, a line, or an element of a top-level list. Without the members that were descended into. */
  | { readonly kind: 'document'; readonly value: unknown; readonly place: string }
  /** An element of the list inside a document. */
  | { readonly kind: 'element'; readonly value: unknown; readonly place: string }
  /** A record that is not valid JSON. */
  | { readonly kind: 'broken'; readonly place: string }

/** Returns what a step throws, so that what was read before it can be handed over first. */
export function failureOf(step: () => void): unknown {
  try {
    step()
    return undefined
  } catch (error) {
    return error
  }
}
