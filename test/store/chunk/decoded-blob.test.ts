/** Blobs as the check reads them. */
import { expect, test } from 'vitest'
import { decodedBlob } from '../../../src/store/logic/check/chunk.ts'

test.each(['not a chunk, but long enough', 7, null])('%j in place of a blob cannot be decoded', value => {
  // a flipped bit in the head of a row changes the type of a column, which is not possible with SQL
  expect(decodedBlob(value as Uint8Array | null, 0)).toBeUndefined()
})
