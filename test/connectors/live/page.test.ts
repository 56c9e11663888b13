/** What one page of a provider may bring. */
import { expect, it } from 'vitest'
import { MOST_RECORDS } from '../../../src/connectors/live/answer-limits.ts'
import { LivePage } from '../../../src/connectors/live/page.ts'
import { ProviderError } from '../../../src/connectors/provider-session.ts'

it('a page with more records than any provider sends is a bad answer', () => {
  const page = new LivePage('oura', { resources: ['steps'], now: 0 })
  for (let i = 0; i < MOST_RECORDS; i++) page.record(`record-${i}`, '1')
  const failure = expect.objectContaining({ kind: 'bad_answer', message: expect.stringContaining('records') })
  expect(() => page.record('one more', '1')).toThrow(ProviderError)
  expect(() => page.record('one more', '1')).toThrow(failure)
  expect(page.take().records).toHaveLength(MOST_RECORDS)
})
