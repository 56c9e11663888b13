/** Counts as people read them. */
import { expect, test } from 'vitest'
import { formatCount } from '../../src/core/text.ts'

test.each([0, 7, 999, 1000, 12_532, 123_456, 1_234_567, -999, -1234, Number.MAX_SAFE_INTEGER])(
  'groups the digits of %d as toLocaleString does',
  count => {
    expect(formatCount(count)).toBe(count.toLocaleString('en'))
  },
)
