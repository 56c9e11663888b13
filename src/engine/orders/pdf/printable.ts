/** Converts text to characters that the fonts of every PDF reader can show. Other letters become their base letters or a question mark. */

/** Replacements for letters that cannot be decomposed. */
const PLAIN: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  '−': '-',
  '≤': '<=',
  '≥': '>=',
  '‐': '-',
  '‑': '-',
}
const UNKNOWN = '?'

/** Returns the printable text. `known` contains the font's code points. Line breaks and other control characters become spaces. */
export function pdfText(text: string, known: ReadonlySet<number>): string {
  let shown = ''
  for (const character of text.normalize('NFC')) {
    const code = character.codePointAt(0) as number
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) shown += ' '
    else shown += known.has(code) ? character : spelled(character, known)
  }
  return shown
}

function spelled(character: string, known: ReadonlySet<number>): string {
  const plain = PLAIN[character] ?? character.normalize('NFKD').replace(/\p{Mark}/gu, '')
  const isKnown = plain !== '' && [...plain].every(part => known.has(part.codePointAt(0) as number))
  return isKnown ? plain : UNKNOWN
}
