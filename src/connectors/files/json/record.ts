/** The form in which a JSON file's records are returned. */

export type JsonRecord =
  /** A single document, a line, or an element of a top-level list, without the members that were descended into. */
  | { readonly kind: 'document'; readonly value: unknown; readonly position: string }
  /** An element of the list inside a document. */
  | { readonly kind: 'element'; readonly value: unknown; readonly position: string }
  /** A record that is not valid JSON. */
  | { readonly kind: 'broken'; readonly position: string }
