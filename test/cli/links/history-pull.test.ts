/** The messages about the history of a new live connection. */
import { describe, expect, test } from 'vitest'
import { pullHistory } from '../../../src/cli/links/history-pull.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import type { UserId } from '../../../src/core/ids.ts'

type Pull = Parameters<typeof pullHistory>[0]
type Refreshed = Awaited<ReturnType<Pull['refresh']>>

const reply = (part: Partial<Refreshed>): Refreshed => ({
  success: true,
  user_id: '00000000-0000-4000-8000-000000000001' as UserId,
  refreshed_sources: [],
  in_progress_sources: [],
  failed_sources: [],
  ...part,
})

function pull(refresh: Pull['refresh'], signal = new AbortController().signal) {
  const look = () => Promise.reject(new Error('nothing looks without a terminal'))
  return pullHistory({ provider: 'oura', name: 'Oura', isQuiet: true, signal, refresh, look })
}

describe('the history of a new connection', () => {
  test('is complete when no pull at the provider is in progress', async () => {
    const refreshed = reply({ refreshed_sources: ['oura/sleep'], in_progress_sources: ['withings/weight'] })
    expect(await pull(async () => refreshed)).toEqual({ kind: 'complete' })
  })

  test('has failed if any of the provider’s resources has failed', async () => {
    expect(await pull(async () => reply({ failed_sources: ['oura/sleep'] }))).toEqual({ kind: 'failed' })
    expect(await pull(async () => reply({ failed_sources: ['withings/weight'] }))).toEqual({ kind: 'complete' })
  })

  test('is left for later while the provider makes svc wait, without repeated requests', async () => {
    let calls = 0
    const outcome = await pull(async () => {
      calls++
      return reply({ in_progress_sources: ['oura/heartrate'] })
    })
    expect(outcome).toEqual({ kind: 'left', why: 'Oura limits the number of requests.' })
    expect(calls).toBe(1)
  })

  test('is left for later, with the reason, if the service refuses another refresh', async () => {
    const refused = new ServiceError('rate_limited', 'A user can be refreshed 8 times an hour.')
    expect(await pull(() => Promise.reject(refused))).toEqual({ kind: 'left', why: refused.message })
  })

  test('is left for later after Ctrl-C', async () => {
    const interrupt = new AbortController()
    const outcome = await pull(async () => {
      interrupt.abort()
      throw interrupt.signal.reason
    }, interrupt.signal)
    expect(outcome).toEqual({ kind: 'left', why: 'The pull was stopped.' })
  })

  test('does not hide a bug', async () => {
    await expect(pull(() => Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug')
  })
})
