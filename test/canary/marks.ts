/** Marks that are planted in every field a request can hold, and looked for in everything that is written about it. */

/** In texts, in any case: nothing else in the world contains it. */
export const WORD = 'qzxcanaryqzx'
/** In digits: phone numbers, codes, numbers of cards. */
export const DIGITS = '73195284607'
/** As a value of the body, a heart rate say. */
export const VALUE = 918_273.625

const FORMS = [WORD, DIGITS, '918273.625', '918_273', '918,273']

/** The forms of marks that a text holds. */
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

/** A person whose every field is a mark that the rules of its field allow. */
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
