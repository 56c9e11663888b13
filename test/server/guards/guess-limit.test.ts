/** Guesses are limited for the address that guesses, separately for each kind of secret, and for no other client. */
import { beforeEach, describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/core/errors.ts'
import { GuessLimit, MOST_WRONG, WINDOW_MS } from '../../../src/server/guards/guess-limit.ts'

const HERE = '192.0.2.7'
let ms = 0
let limit: GuessLimit

beforeEach(() => {
  ms = 1_000_000
  limit = new GuessLimit({ now: () => ms })
})

function catchRefusal(run: () => void): ServiceError | null {
  try {
    run()
    return null
  } catch (error) {
    return error as ServiceError
  }
}
const guess = (address = HERE) => catchRefusal(() => limit.failed('api_key', address))
const guessed = (address = HERE) => {
  for (let i = 0; i < MOST_WRONG; i++) expect(guess(address)).toBeNull()
}

describe('an address', () => {
  it('is refused after 20 wrong guesses within a minute, with the time to wait', () => {
    for (let i = 1; i < MOST_WRONG; i++) expect(guess()).toBeNull()
    ms += 20_000
    expect(guess()).toBeNull()
    const error = guess()
    expect(error).toBeInstanceOf(ServiceError)
    expect([error?.status, error?.headers]).toEqual([429, { 'retry-after': '40' }])
    expect(guess('192.0.2.8'), 'another address is not').toBeNull()
    ms += WINDOW_MS - 20_000
    expect(guess()).toBeNull()
  })

  it('that guesses slowly enough is never refused', () => {
    for (let i = 0; i < 200; i++) {
      expect(guess()).toBeNull()
      ms += WINDOW_MS / (MOST_WRONG - 1)
    }
  })

  it('has a counter for each kind', () => {
    guessed()
    expect(guess()?.message).toContain('API keys')
    expect(catchRefusal(() => limit.failed('link_token', HERE))).toBeNull()
    expect(catchRefusal(() => limit.failed('requisition', HERE))).toBeNull()
  })

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', true],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002:ffff::', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['::ffff:192.0.2.7', '192.0.2.7', true],
    ['fe80::1%eth0', 'fe80::2', true],
    ['::1', '::1', true],
  ])('%s counts as the same as %s: %s', (one, other, isSame) => {
    guessed(one)
    expect(guess(other) !== null).toBe(isSame)
  })

  it('is forgotten after 10,000 others: memory is bounded', () => {
    guessed()
    for (let i = 0; i < 10_000; i++) guess(`198.51.${i >> 8}.${i & 255}`)
    expect(guess()).toBeNull()
  })
})

describe('the codes of a link token', () => {
  it('are refused from everywhere after 20 wrong ones, even if correct, but not for other tokens', () => {
    for (let i = 0; i < MOST_WRONG; i++) limit.tryCode('token')
    expect(catchRefusal(() => limit.tryCode('token'))?.status).toBe(429)
    expect(catchRefusal(() => limit.tryCode('another token'))).toBeNull()
    ms += WINDOW_MS
    expect(catchRefusal(() => limit.tryCode('token'))).toBeNull()
  })

  it('count while they are tried, but not after a correct one', () => {
    const taken = Array.from({ length: MOST_WRONG }, () => limit.tryCode('token'))
    expect(
      catchRefusal(() => limit.tryCode('token')),
      'twenty at once',
    ).not.toBeNull()
    for (const takeBack of taken) takeBack()
    for (let i = 0; i < 200; i++) limit.tryCode('token')()
    expect(catchRefusal(() => limit.tryCode('token'))).toBeNull()
  })
})
