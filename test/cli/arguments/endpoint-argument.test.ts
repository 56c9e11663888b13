/** How commands identify an endpoint. */
import { describe, expect, it } from 'vitest'
import { type Endpoint, resolveEndpointId } from '../../../src/cli/arguments/endpoint-argument.ts'
import { endpointSettings } from '../../../src/cli/webhooks/endpoint-flags.ts'
import { ServiceError } from '../../../src/core/errors.ts'

const ONE = '5f6c1c1e-6a52-4f0a-9a3b-0d6f2f1f8a11'
const TWO = '5f6c9999-6a52-4f0a-9a3b-0d6f2f1f8a11'
const endpoint = (endpoint_id: string, url: string): Endpoint => ({ endpoint_id, url }) as Endpoint
const list = async () => ({
  endpoints: [
    endpoint(ONE, 'https://a.example/'),
    endpoint(TWO, 'https://b.example/'),
    endpoint('7777aaaa-6a52-4f0a-9a3b-0d6f2f1f8a11', 'https://b.example/'),
  ],
})
const refusal = (given: string) =>
  resolveEndpointId(given, list).then(
    () => undefined,
    (error: unknown) => error as ServiceError,
  )

describe('ENDPOINT', () => {
  it('can be an ID, which is not looked up, the start of an ID, or a URL', async () => {
    const never = () => Promise.reject(new Error('asked'))
    expect(await resolveEndpointId(TWO.toUpperCase(), never)).toBe(TWO.toUpperCase())
    expect(await resolveEndpointId('5F6C1', list)).toBe(ONE)
    expect(await resolveEndpointId('https://a.example/', list)).toBe(ONE)
  })

  it('must match exactly one existing endpoint', async () => {
    for (const given of ['', '5f6', 'https://c.example/', 'f6c1c1e']) {
      expect(await refusal(given), given).toMatchObject({ code: 'not_found' })
    }
    expect((await refusal('5f6'))?.suggestions.join()).toContain('4 characters')
    expect((await refusal('f6c1c1e'))?.suggestions.join()).not.toContain('4 characters')
    for (const given of ['5f6c', 'https://b.example/']) {
      const error = await refusal(given)
      expect(error).toBeInstanceOf(ServiceError)
      expect(error).toMatchObject({ code: 'usage', message: 'ENDPOINT matches 2 webhook endpoints.' })
      expect(error?.suggestions.join()).toContain(TWO)
    }
  })
})

describe('endpoint flags', () => {
  const none = {
    'event-type': undefined,
    description: undefined,
    'header-prefix': undefined,
    concurrency: undefined,
    'rate-limit': undefined,
  }

  it('change nothing when omitted, and remove a value with none', () => {
    expect(endpointSettings(none)).toEqual({})
    expect(endpointSettings({ ...none, 'header-prefix': 'none', 'rate-limit': 'none', description: '' })).toEqual({
      header_prefix: null,
      rate_limit: null,
      description: '',
    })
  })

  it('accept several patterns in one value, and a prefix with or without its dash', () => {
    const given = { ...none, 'event-type': ['daily.*,provider.*', 'lab_report.*'], 'rate-limit': '5' }
    expect(endpointSettings({ ...given, 'header-prefix': 'svix', concurrency: 3 })).toEqual({
      event_types: ['daily.*', 'provider.*', 'lab_report.*'],
      header_prefix: 'svix-',
      concurrency: 3,
      rate_limit: 5,
    })
    expect(endpointSettings({ ...none, 'header-prefix': 'svix-' })).toEqual({ header_prefix: 'svix-' })
    expect(() => endpointSettings({ ...none, 'rate-limit': '1.5' })).toThrow('a whole number or none')
  })
})
