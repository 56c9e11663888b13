/** The words in electrocardiogram files, which are in the phone's language. Contains data only. */

interface Finding {
  readonly classification: 'sinus_rhythm' | 'atrial_fibrillation' | 'inconclusive'
  readonly inconclusive_cause?: 'high_heart_rate' | 'low_heart_rate' | 'poor_reading'
}

const SINUS: Finding = { classification: 'sinus_rhythm' }
const FIBRILLATION: Finding = { classification: 'atrial_fibrillation' }
const INCONCLUSIVE: Finding = { classification: 'inconclusive' }
const FAST: Finding = { ...INCONCLUSIVE, inconclusive_cause: 'high_heart_rate' }
const SLOW: Finding = { ...INCONCLUSIVE, inconclusive_cause: 'low_heart_rate' }

/**
 * Findings by their words in lower case: the medical terms in several languages, and other results in English and German. Any other result
 * is not known.
 */
export const FINDINGS: ReadonlyMap<string, Finding> = new Map([
  ['sinus rhythm', SINUS],
  ['sinusrhythmus', SINUS],
  ['rythme sinusal', SINUS],
  ['ritmo sinusal', SINUS],
  ['ritmo sinusale', SINUS],
  ['sinusritme', SINUS],
  ['atrial fibrillation', FIBRILLATION],
  ['vorhofflimmern', FIBRILLATION],
  ['fibrillation auriculaire', FIBRILLATION],
  ['fibrilación auricular', FIBRILLATION],
  ['fibrillazione atriale', FIBRILLATION],
  ['inconclusive', INCONCLUSIVE],
  ['uneindeutig', INCONCLUSIVE],
  ['poor recording', { ...INCONCLUSIVE, inconclusive_cause: 'poor_reading' }],
  ['heart rate over 120', FAST],
  ['heart rate over 150', FAST],
  ['heart rate under 50', SLOW],
])

/** A sampling frequency in hertz, in the spellings of several languages. */
export const HERTZ = /^(\d+(?:[.,]\d+)?)\s*(?:hz|hertz|hercios?|герц|赫[兹茲]|ヘルツ|헤르츠)$/iu
