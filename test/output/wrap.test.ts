/** Messages on a terminal: broken between words, and colored. */
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { describeFailure } from '../../src/cli/runtime/failure.ts'
import { allowedNames, ServiceError } from '../../src/core/errors.ts'
import { wrapped } from '../../src/output/wrap.ts'

test('a message breaks between words and keeps its indentation', () => {
  expect(wrapped('one two three four\n  five six seven', 10)).toBe('one two\nthree four\n  five six\n  seven')
  expect(wrapped('健康 健康 健康', 10)).toBe('健康 健康\n健康')
  expect(wrapped('fits', 4)).toBe('fits')
})

test('a word that is longer than the terminal stays whole, so that it can be copied', () => {
  expect(wrapped('add --cursor AUJ6IFz4GAAQDYAAA now', 12)).toBe('add --cursor\nAUJ6IFz4GAAQDYAAA\nnow')
})

test('a pipe gets messages on one line', () => expect(wrapped('one two three', undefined)).toBe('one two three'))

test('a failure fits the terminal, with a red Error on one with colors; JSON stays on one line', () => {
  const error = new ServiceError('usage', 'This message has more words than the line can hold.', {
    suggestions: ['And so does the suggestion that follows it.'],
  })
  const options = { json: false, debug: false, screen: { width: 30, color: true } }
  const { text } = describeFailure(error, options)
  expect(text.startsWith('\u001b[31mError:\u001b[39m This')).toBe(true)
  const lines = stripVTControlCharacters(text).trimEnd().split('\n')
  expect(lines).toEqual([
    'Error: This message has more',
    'words than the line can hold.',
    '  And so does the suggestion',
    '  that follows it.',
  ])
  expect(
    describeFailure(error, { ...options, json: true })
      .text.trimEnd()
      .split('\n'),
  ).toHaveLength(1)
})

describe('a message about an unknown name', () => {
  const many = Array.from({ length: 51 }, (_, i) => `provider_${String(i).padStart(2, '0')}`)

  test('lists the nearest five of many, and the command that lists all', () => {
    const text = allowedNames('something', many, '`svc provider list` lists all')
    expect(text).toMatch(/^ Nearest of 51: (provider_\d\d(, )?){5}\. `svc provider list` lists all$/)
    expect(allowedNames('oursa', [...many, 'oura'], 'how')).toMatch(/^ Did you mean "oura"\? Nearest of 52: oura, /)
  })

  test('lists all if there are few', () =>
    expect(allowedNames('c', ['a', 'b'], 'how')).toBe(' Did you mean "a" or "b"? Allowed: a, b'))
})
