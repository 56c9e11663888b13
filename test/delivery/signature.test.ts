/** Signatures: the published cases of Standard Webhooks pass, and the published clients verify our signatures. */
import { Webhook } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../src/core/errors.ts'
import { seededRandom } from '../../src/core/random.ts'
import { newSecret, parseSecret, secretText, sign } from '../../src/delivery/signature.ts'
import { type ReceivedWebhook, verify } from '../../src/delivery/verification.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const KEY = parseSecret(SECRET)
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const BODY = '{"test": 2432232314}'
const OTHER = 'Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc='
const nowSeconds = Math.floor(Date.now() / 1000)

/** Returns a valid webhook with the current time, plus what a case changes. */
function received(changed: ReceivedWebhook['headers'] = {}, timestamp = nowSeconds): ReceivedWebhook {
  const headers = { ...sign({ id: ID, timestamp, body: BODY }, [KEY]), ...changed }
  return { headers, body: Buffer.from(BODY), keys: [KEY], nowSeconds }
}
const findProblem = (webhook: ReceivedWebhook): string | null => {
  const checked = verify(webhook)
  return checked.ok ? null : checked.problem
}

describe('the published cases of Standard Webhooks', () => {
  it('include the published signature', () => {
    expect(sign({ id: ID, timestamp: 1_614_265_330, body: BODY }, [KEY])).toEqual({
      'webhook-id': ID,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('accept a valid webhook, with and without the prefix of the secret', () => {
    expect(verify(received())).toEqual({ ok: true, id: ID, timestamp: nowSeconds, ageSeconds: 0 })
    const bare = parseSecret(SECRET.slice('whsec_'.length))
    expect(findProblem({ ...received(), keys: [bare] })).toBeNull()
  })

  it.each(['id', 'timestamp', 'signature'])('report a missing webhook-%s', name => {
    const checked = verify(received({ [`webhook-${name}`]: undefined }))
    expect(checked).toEqual({ ok: false, problem: 'missing_header', reason: `Missing or empty: webhook-${name}.` })
  })

  it.each([
    ['an invalid timestamp', 'webhook-timestamp', 'hello', 'malformed_header'],
    ['an invalid signature', 'webhook-signature', 'v1,dawfeoifkpqwoekfpqoekf', 'malformed_header'],
    ['a partial signature', 'webhook-signature', 'v1,g0hM9', 'malformed_header'],
    ['an empty signature', 'webhook-signature', 'v1,', 'malformed_header'],
    ['a foreign signature', 'webhook-signature', `v1,${OTHER}`, 'no_match'],
    ['a signature of another version', 'webhook-signature', `v2,${OTHER}`, 'malformed_header'],
  ])('refuses %s', (_what, name, value, problem) => {
    expect(findProblem(received({ [name]: value }))).toBe(problem)
  })

  it('accept one valid signature among several', () => {
    const good = received().headers['webhook-signature']
    const many = received({ 'webhook-signature': [`v1,${OTHER}`, `v2,${OTHER}`, good, `v1,${OTHER}`].join(' ') })
    expect(findProblem(many)).toBeNull()
  })

  it('allow a timestamp to be five minutes off, or any age on request', () => {
    expect(findProblem(received({}, nowSeconds - 301))).toBe('too_old')
    expect(findProblem(received({}, nowSeconds + 301))).toBe('too_new')
    expect(findProblem(received({}, nowSeconds - 300))).toBeNull()
    expect(findProblem({ ...received({}, nowSeconds - 90_000), toleranceSeconds: 0 })).toBeNull()
    // the timestamp is signed too
    const moved = received({ 'webhook-timestamp': '946684800' })
    expect(findProblem({ ...moved, toleranceSeconds: 0 })).toBe('no_match')
  })
})

describe('the published clients', () => {
  it('verify our signatures, under both header names', () => {
    const secret = newSecret(seededRandom('clients'))
    const body = '{"event_type":"daily.data.glucose.created","data":{"note":"naïve – 20 °C"}}'
    const headers = sign({ id: 'e1', timestamp: nowSeconds, body: Buffer.from(body) }, [parseSecret(secret)], 'svix-')
    expect(Object.keys(headers).sort()).toEqual([
      'svix-id',
      'svix-signature',
      'svix-timestamp',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
    ])
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(new Svix(secret).verify(body, headers)).toEqual(JSON.parse(body))
    const ofSvix = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('svix-')))
    expect(new Svix(secret).verify(body, ofSvix)).toEqual(JSON.parse(body))
  })

  it('verify with either secret during a rotation', () => {
    const [former, next] = [newSecret(seededRandom('former')), newSecret(seededRandom('next'))]
    const headers = sign({ id: 'e1', timestamp: nowSeconds, body: '{}' }, [next, former].map(parseSecret))
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
    for (const secret of [former, next]) expect(new Webhook(secret).verify('{}', headers)).toEqual({})
    expect(() => new Webhook(SECRET).verify('{}', headers)).toThrow()
  })

  it('produce signatures that we verify', () => {
    const signature = new Webhook(SECRET).sign(ID, new Date(nowSeconds * 1000), BODY)
    expect(findProblem(received({ 'webhook-signature': signature }))).toBeNull()
  })
})

describe('the explanation of a failed verification', () => {
  const reasonFor = (webhook: ReceivedWebhook): string => {
    const checked = verify(webhook)
    return checked.ok ? 'passes' : checked.reason
  }

  it('reads headers in any case, lists, and with any of the prefixes', () => {
    const headers = sign({ id: ID, timestamp: nowSeconds, body: BODY }, [KEY], 'svix-')
    const upper = Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => name.startsWith('svix'))
        .map(([name, value]) => [name.toUpperCase(), [value]]),
    )
    expect(reasonFor({ headers: upper, body: Buffer.from(BODY), keys: [KEY], nowSeconds })).toBe('passes')
    const asked = { headers: upper, body: Buffer.from(BODY), keys: [KEY], nowSeconds, headerPrefix: 'webhook-' }
    expect(reasonFor(asked)).toContain('Missing or empty: webhook-id, webhook-timestamp, webhook-signature')
  })

  it('reports the age of a timestamp, and rejects milliseconds', () => {
    expect(reasonFor(received({}, nowSeconds - 7_200))).toBe(
      'The signature matches, but webhook-timestamp is 7200 s before now, and at most 300 s are allowed.',
    )
    const milliseconds = received({ 'webhook-timestamp': String(Date.now()) })
    expect(reasonFor(milliseconds)).toContain('looks like milliseconds')
  })

  it.each([
    ['a line break', `${BODY}\n`, 'the body without its trailing newlines'],
    ['parsing and writing', '{"test":2432232314 }', 'parsed and serialized again'],
  ])('detects %s in the body', (_what, body, words) => {
    const signed = body.startsWith('{"test":') && !body.includes(' 2') ? '{"test":2432232314}' : BODY
    const headers = sign({ id: ID, timestamp: nowSeconds, body: signed }, [KEY])
    expect(reasonFor({ headers, body: Buffer.from(body), keys: [KEY], nowSeconds })).toContain(words)
  })

  it('detects a sender that signed with the text of the secret', () => {
    const headers = sign({ id: ID, timestamp: nowSeconds, body: BODY }, [Buffer.from(SECRET)])
    expect(reasonFor({ ...received(), headers })).toContain('text of the secret')
  })

  it('never shows the body or the secret', () => {
    const reason = reasonFor({ ...received(), body: Buffer.from('{"weight": 81.5}') })
    expect(reason).toContain('16 bytes')
    expect(reason).not.toMatch(/81|weight|MfKQ/)
  })
})

describe('the form of a secret', () => {
  it('is random, and can be parsed', () => {
    const secret = newSecret(seededRandom('one'))
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secretText(parseSecret(secret))).toBe(secret)
    expect(newSecret(seededRandom('two'))).not.toBe(secret)
  })

  it.each([
    ['', 'it is empty'],
    ['whsec_', 'it is empty'],
    ['whsec_c2hvcnQ=', 'it has 5'],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, 'it has 65'],
    [`whsec_${'ab_d'.repeat(9)}`, 'character 9 is not base64 (- and _'],
    [`${SECRET} `, 'character 39 is not base64'],
    [`${SECRET}A`, 'cut off'],
    ['whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'asymmetric'],
  ])('is refused as %j', (text, words) => {
    let error: unknown
    try {
      parseSecret(text)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(ServiceError)
    expect((error as ServiceError).message).toContain(words)
    if (text.length > 12) expect((error as ServiceError).message).not.toContain(text.slice(6, 14))
  })
})
