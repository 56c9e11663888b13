/** What can be wrong with an export as XML. */
import { ServiceError } from '../../../core/errors.ts'

/** `at` counts bytes from the start of the document. */
export function malformed(what: string, at: number): ServiceError {
  return new ServiceError('invalid_file', `The file is not well-formed XML: ${what} at byte ${at}.`, {
    suggestions: ['Export the data again and import the file unchanged; nothing of this one was kept.'],
  })
}

/** The document ends while the element of this name is open. */
export function cutOff(open: string): ServiceError {
  return new ServiceError('invalid_file', `The file is cut off: it ends before the closing </${printable(open)}>.`, {
    suggestions: ['Export the data again and import the whole file; nothing of this one was kept.'],
  })
}

export function notXml(): ServiceError {
  return new ServiceError(
    'invalid_file',
    'The file is not XML: an Apple Health export is an export.xml or the export.zip around it.',
  )
}

/** An element name fit for a message: it comes from the file. */
export function printable(name: string): string {
  return /^[A-Za-z][\w.:-]{0,79}$/.test(name) ? name : '…'
}
