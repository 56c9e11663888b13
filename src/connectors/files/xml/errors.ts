/** Errors for XML files that cannot be read. */
import { ServiceError } from '../../../core/errors.ts'

/** Returns the error for malformed XML. `at` is the byte position from the start of the document. */
export function malformed(what: string, at: number): ServiceError {
  return new ServiceError('invalid_file', `The file is not well-formed XML: ${what} at byte ${at}.`, {
    suggestions: ['Export the data again and import the file unchanged. Nothing was stored.'],
  })
}

/** Returns the error for a document that ends while the element with this name is open. */
export function cutOff(open: string): ServiceError {
  return new ServiceError(
    'invalid_file',
    `The file is cut off: it ends before the closing </${printableName(open)}>.`,
    {
      suggestions: ['Export the data again and import the whole file. Nothing was stored.'],
    },
  )
}

export function notXml(): ServiceError {
  return new ServiceError(
    'invalid_file',
    'The file is not XML. An Apple Health export is an export.xml file, or the export.zip that contains it.',
  )
}

/** Returns an element name for use in a message. The name comes from the file, so an unusual name is shown as `…`. */
export function printableName(name: string): string {
  return /^[A-Za-z][\w.:-]{0,79}$/.test(name) ? name : '…'
}
