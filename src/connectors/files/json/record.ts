/** What the records of a JSON file are handed over as, and reading on until something fails. */

export type JsonRecord =
  /** A document by itself, a line, or an element of a list at the top. The members that were walked into are not in it. */
  | { readonly kind: 'document'; readonly value: unknown; readonly place: string }
  /** An element of the list inside the document. */
  | { readonly kind: 'element'; readonly value: unknown; readonly place: string }
  /** One that is no JSON. */
  | { readonly kind: 'broken'; readonly place: string }

/** What a step throws, so that what was read before it can be handed over first. */
export function failureOf(step: () => void): unknown {
  try {
    step()
    return undefined
  } catch (error) {
    return error
  }
}
