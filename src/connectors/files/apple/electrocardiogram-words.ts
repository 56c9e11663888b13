/** The words in electrocardiogram files, which are in the phone's language. Contains data only. */

export interface Finding {
  readonly classification: 'sinus_rhythm' | 'atrial_fibrillation' | 'inconclusive'
  readonly cause: 'high_heart_rate' | 'low_heart_rate' | 'poor_reading' | null
}

const SINUS = 'sinus rhythm|sinusrhythmus|rythme sinusal|ritmo sinusal|ritmo sinusale|sinusritme|sinusrytm|sinusrytme'
const FIBRILLATION =
  'atrial fibrillation|vorhofflimmern|fibrillation atriale|fibrillation auriculaire|fibrilación auricular|fibrillazione atriale'

function found(
  words: string,
  classification: Finding['classification'],
  cause: Finding['cause'] = null,
): [string, Finding][] {
  return words.split('|').map(word => [word, { classification, cause }])
}

/**
 * Findings by their lower-case words: the medical terms in several languages, the other results in English and German. Any other result is
 * not known.
 */
export const FINDINGS: ReadonlyMap<string, Finding> = new Map([
  ...found(SINUS, 'sinus_rhythm'),
  ...found(FIBRILLATION, 'atrial_fibrillation'),
  ...found('inconclusive|uneindeutig', 'inconclusive'),
  ...found('poor recording', 'inconclusive', 'poor_reading'),
  ...found('high heart rate|heart rate over 120|heart rate over 150', 'inconclusive', 'high_heart_rate'),
  ...found('low heart rate|heart rate under 50', 'inconclusive', 'low_heart_rate'),
])

/** A sampling frequency in hertz, in the spellings of several languages. */
export const HERTZ = /^(\d+(?:[.,]\d+)?)\s*(?:hz|hertz|hercios?|hercow|герц|赫[兹茲]|ヘルツ|헤르츠)$/iu
