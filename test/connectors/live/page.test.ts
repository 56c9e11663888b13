/** The limits of one page of a provider. */
import { expect, it } from 'vitest'
import { LivePage } from '../../../src/connectors/live/page.ts'
import { MOST_RECORDS } from '../../../src/connectors/live/response-limits.ts'
import { ProviderError } from '../../../src/connectors/provider-session.ts'
import { USER } from './pulled.ts'

it('a page with more records than any provider sends is a bad response', () => {
  const form = { provider: 'oura', ignored: new Set<string>(), countsNested: false }
  const asked = { userId: USER, collection: 'days', window: { from: 0, to: 0 }, timeZone: null }
  const page = new LivePage(form, { ...asked, resources: ['steps'], now: 0 })
  for (let i = 0; i < MOST_RECORDS; i++) page.record(`record-${i}`, '1')
  const failure = expect.objectContaining({ kind: 'bad_answer', message: expect.stringContaining('records') })
  expect(() => page.record('one more', '1')).toThrow(ProviderError)
  expect(() => page.record('one more', '1')).toThrow(failure)
  expect(page.take().records).toHaveLength(MOST_RECORDS)
})
