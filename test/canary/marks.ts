/** Marks to put into every field of a request, and to search for in everything written about it. */

/** For texts; found in any letter case. No other text contains this mark. */
export const WORD = 'qzxcanaryqzx'
/** For digits: phone numbers, codes, card numbers. */
export const DIGITS = '73195284607'
/** For measured values, such as a heart rate. */
export const VALUE = 918_273.625

const FORMS = [WORD, DIGITS, '918273.625', '918_273', '918,273']

/** Returns the forms of the marks that a text contains. */
export function marksIn(text: string): string[] {
  const plain = text.toLowerCase()
  const decoded = safeDecode(plain)
  return FORMS.filter(form => plain.includes(form) || decoded.includes(form))
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** A person with a mark in every field that is valid for that field. */
export const MARKED_PERSON = {
  first_name: `A${WORD}`,
  last_name: `B${WORD}`,
  email: `${WORD}@example.test`,
  phone_number: `+${DIGITS}`,
  dob: '1985-12-10',
}
export const MARKED_ADDRESS = {
  first_line: `1 ${WORD} street`,
  second_line: `flat ${WORD}`,
  city: `${WORD} city`,
  state: 'IL',
  zip: '62701',
  country: 'US',
  access_notes: `behind ${WORD}`,
}
