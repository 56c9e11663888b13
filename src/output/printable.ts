/** Text that came with the data, as it may be shown: control characters (a terminal's escape sequences among them) are not obeyed. */

/** Each control character becomes `�`. */
export function printable(text: string): string {
  return [...text].map(char => (isControl(char) ? '\uFFFD' : char)).join('')
}

function isControl(char: string): boolean {
  const code = char.codePointAt(0) as number
  return code < 0x20 || (code >= 0x7f && code < 0xa0)
}
