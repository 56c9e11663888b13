/**
 * Assigns a number to each distinct text in a query, so that every column of a block contains only numbers. Indexed reads are unchecked
 * (`as number`) because the loops are hot and the indices are always in range.
 */

/** Texts by ID, in order of first appearance. */
export class TextPool {
  private readonly ids = new Map<string, number>()
  private readonly texts: string[] = []

  /** Returns a text's ID. */
  id(text: string): number {
    const known = this.ids.get(text)
    if (known !== undefined) return known
    const id = this.texts.push(text) - 1
    this.ids.set(text, id)
    return id
  }

  /** Returns the text with this ID. */
  text(id: number): string {
    return this.texts[id] as string
  }
}
