/** Makes text from data safe to print: control characters, including a terminal's escape sequences, have no effect. */

/** Replaces each control character with `�`. */
export function printable(text: string): string {
  return [...text].map(char => (isControl(char) ? '\uFFFD' : char)).join('')
}

function isControl(char: string): boolean {
  const code = char.codePointAt(0) as number
  return code < 0x20 || (code >= 0x7f && code < 0xa0)
}
