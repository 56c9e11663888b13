/** The words in electrocardiogram files, which are in the phone's language. Contains data only. */

interface Finding {
  readonly classification: 'sinus_rhythm' | 'atrial_fibrillation' | 'inconclusive'
  readonly inconclusive_cause?: 'high_heart_rate' | 'low_heart_rate' | 'poor_reading'
}

/** Returns one entry per wording of a finding. */
function found(words: string, finding: Finding): [string, Finding][] {
  return words.split('|').map(word => [word, finding])
}

const SINUS = 'sinus rhythm|sinusrhythmus|rythme sinusal|ritmo sinusal|ritmo sinusale|sinusritme'
const FIBRILLATION =
  'atrial fibrillation|vorhofflimmern|fibrillation auriculaire|fibrilación auricular|fibrillazione atriale'
const FAST = 'heart rate over 120|heart rate over 150'
const inconclusive: Finding = { classification: 'inconclusive' }

/**
 * Findings by their words in lower case: the medical terms in several languages, and other results in English and German. Any other result
 * is not known.
 */
export const FINDINGS: ReadonlyMap<string, Finding> = new Map([
  ...found(SINUS, { classification: 'sinus_rhythm' }),
  ...found(FIBRILLATION, { classification: 'atrial_fibrillation' }),
  ...found('inconclusive|uneindeutig', inconclusive),
  ...found('poor recording', { ...inconclusive, inconclusive_cause: 'poor_reading' }),
  ...found(FAST, { ...inconclusive, inconclusive_cause: 'high_heart_rate' }),
  ...found('heart rate under 50', { ...inconclusive, inconclusive_cause: 'low_heart_rate' }),
])

/** A sampling frequency in hertz, in the spellings of several languages. */
export const HERTZ = /^(\d+(?:[.,]\d+)?)\s*(?:hz|hertz|hercios?|герц|赫[兹茲]|ヘルツ|헤르츠)$/iu
