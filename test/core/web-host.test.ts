/** URLs as the service reads them. */
import { expect, test } from 'vitest'
import { parseUrl } from '../../src/core/web-host.ts'

test('reads a URL with characters beyond ASCII, any number of times', () => {
  const host = 'https://bücher.example/'
  // an optimized URL.canParse of Node 20 and 22 refuses it after some 3,000 calls
  const refused = Array.from({ length: 20_000 }, () => parseUrl(host)).filter(url => url === null)
  expect(refused).toHaveLength(0)
})

test('returns null for a text that is not a URL', () => {
  expect(parseUrl('books')).toBeNull()
  expect(parseUrl('/path', 'http://invalid')?.origin).toBe('http://invalid')
})
