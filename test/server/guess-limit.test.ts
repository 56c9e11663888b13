/** Guessing is slowed for who guesses, and for nobody else. */
import { beforeEach, describe, expect, it } from 'vitest'
import { ServiceError } from '../../src/core/errors.ts'
import { GuessLimit, MOST_WRONG, WINDOW_MS } from '../../src/server/guess-limit.ts'

const HERE = '192.0.2.7'
let ms = 0
let limit: GuessLimit

beforeEach(() => {
  ms = 1_000_000
  limit = new GuessLimit({ now: () => ms })
})

function refusal(address: string, linkToken: string | null = null): ServiceError | null {
  try {
    limit.check(address, linkToken)
    return null
  } catch (error) {
    return error as ServiceError
  }
}
const guess = (times: number, address = HERE) => {
  for (let i = 0; i < times; i++) limit.failed(address)
}

describe('an address', () => {
  it('is refused after 20 wrong ones within a minute, and told for how long', () => {
    guess(MOST_WRONG - 1)
    expect(refusal(HERE)).toBeNull()
    ms += 20_000
    guess(1)
    const error = refusal(HERE)
    expect(error).toBeInstanceOf(ServiceError)
    expect([error?.status, error?.headers]).toEqual([429, { 'retry-after': '40' }])
    expect(refusal('192.0.2.8'), 'another address is not').toBeNull()
    ms += WINDOW_MS - 20_000
    expect(refusal(HERE)).toBeNull()
  })

  it('that guesses slowly enough is never refused', () => {
    for (let i = 0; i < 200; i++) {
      guess(1)
      ms += WINDOW_MS / (MOST_WRONG - 1)
      expect(refusal(HERE)).toBeNull()
    }
  })

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', true],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002:ffff::', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['::ffff:192.0.2.7', '192.0.2.7', true],
    ['fe80::1%eth0', 'fe80::2', true],
    ['::1', '::1', true],
  ])('%s and %s are the same: %s', (one, other, isSame) => {
    guess(MOST_WRONG, one)
    expect(refusal(other) !== null).toBe(isSame)
  })

  it('is forgotten when 10,000 others came after it: memory is bounded', () => {
    guess(MOST_WRONG)
    for (let i = 0; i < 10_000; i++) limit.failed(`198.51.${i >> 8}.${i & 255}`)
    expect(refusal(HERE)).toBeNull()
  })
})

describe('a link token', () => {
  it('is refused from everywhere when its codes are guessed', () => {
    for (let i = 0; i < MOST_WRONG; i++) limit.judge(`198.51.100.${i}`, 'token', { error_type: 'incorrect_mfa_code' })
    expect(refusal('203.0.113.1', 'token')?.status).toBe(429)
    expect(refusal('203.0.113.1', 'another token')).toBeNull()
    expect(refusal('198.51.100.1'), 'one wrong code from each').toBeNull()
  })

  it('that is unknown counts against the address, and other errors count for nothing', () => {
    for (let i = 0; i < MOST_WRONG; i++) limit.judge(HERE, 'x', { error_type: 'provider_credential_error' })
    limit.judge(HERE, 'x', { state: 'success', error_type: null })
    limit.judge(HERE, 'x', null)
    expect(refusal(HERE, 'x')).toBeNull()
    for (let i = 0; i < MOST_WRONG; i++) limit.judge(HERE, `${i}`, { error_type: 'invalid_token' })
    expect(refusal(HERE)?.status).toBe(429)
  })
})
