/** How an invalid request is refused: the message repeats public names of the service, but nothing else that was sent. */
import { describe, expect, it } from 'vitest'
import { SHIPPED_REGISTRY } from '../../src/catalogue/providers.ts'
import { parseInput } from '../../src/contract/kernel/validation.ts'
import { operations } from '../../src/contract/operations.ts'
import { ServiceError } from '../../src/core/errors.ts'

const refusal = (body: object): string => {
  try {
    const sent = { user_id: 'a042a1e9-f3e7-4c86-9a26-39f1a8c0a800', ...body }
    parseInput(operations['link.token'], { params: {}, query: {}, body: sent }, SHIPPED_REGISTRY)
  } catch (error) {
    if (error instanceof ServiceError) return error.message
    throw error
  }
  return ''
}

describe('a provider slug in a body', () => {
  it('is repeated along with the nearest ones, alone and in a list', () => {
    expect(refusal({ provider: 'whop' })).toMatch(/"whop" is not one of the av.* Did you mean "whoop"/)
    expect(refusal({ filter_on_providers: ['oura', 'whop'] })).toMatch(/"whop".* Did you mean "whoop"/)
  })

  it('is not repeated if it does not have the form of a slug, because it may be anything', () => {
    expect(refusal({ provider: 'ada@example.com' })).not.toContain('ada')
    expect(refusal({ provider: 'x'.repeat(64) })).not.toContain('xx')
  })
})
