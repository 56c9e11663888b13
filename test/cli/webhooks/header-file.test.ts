/** Header files in the formats in which people save them. */
import { describe, expect, it } from 'vitest'
import { parseHeaders } from '../../../src/cli/webhooks/header-file.ts'
import { ServiceError } from '../../../src/core/errors.ts'

const WANTED = { 'webhook-id': ['e1'], 'webhook-timestamp': ['1614265330'] }

describe('a file of headers', () => {
  it.each([
    ['lines', 'Webhook-Id: e1\nwebhook-timestamp:1614265330\n'],
    ['lines of another system', 'Webhook-Id: e1  \r\nWebhook-Timestamp: 1614265330\r\n\r\n'],
    ['a request', 'POST /hooks HTTP/1.1\nwebhook-id: e1\nwebhook-timestamp: 1614265330'],
    ['an answer', 'HTTP/2 200\nwebhook-id: e1\nwebhook-timestamp: 1614265330'],
    ['what curl -v prints', '* Connected\n> POST / HTTP/1.1\n> Webhook-Id: e1\n> Webhook-Timestamp: 1614265330\n>\n'],
    ['an object', '{"Webhook-Id": "e1", "webhook-timestamp": 1614265330}'],
    ['an object of lists', '{"webhook-id": ["e1"], "webhook-timestamp": ["1614265330"]}'],
    ['pairs', '[["webhook-id", "e1"], ["Webhook-Timestamp", "1614265330"]]'],
    ['names and values in turn', '["Webhook-Id", "e1", "Webhook-Timestamp", "1614265330"]'],
  ])('may contain %s', (_form, text) => expect({ ...parseHeaders(text) }).toEqual(WANTED))

  it('keeps repeated headers, and a header whose name is a member of every object', () => {
    expect(parseHeaders('a: 1\nA: 2\n')['a']).toEqual(['1', '2'])
    expect(Object.entries(parseHeaders('__proto__: 1\n'))).toEqual([['__proto__', ['1']]])
  })

  it.each([
    ['', 'contains no headers'],
    ['{}', 'contains no headers'],
    ['webhook-id e1', 'Line 1'],
    ['webhook-id: e1\n\nsecret words', 'Line 3'],
    ['{"webhook-id":', 'is not valid JSON'],
    ['{"webhook-id": {}}', 'is not text'],
    ['["webhook-id"]', 'is not text'],
    ['[1, 2]', 'is not text'],
    ['[[1, "a"]]', 'is not text'],
  ])('that contains %j is refused', (text, words) => {
    let thrown: unknown
    try {
      parseHeaders(text)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ServiceError)
    expect((thrown as ServiceError).message).toContain(words)
    expect((thrown as ServiceError).message).not.toContain('secret words')
  })
})
