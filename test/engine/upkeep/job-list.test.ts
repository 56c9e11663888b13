/** The list of jobs of a team's users. */
import { expect, it } from 'vitest'
import { runOperation } from '../../../src/engine/engine.ts'
import { openHarness } from '../../kit/harness.ts'

it('shows every job of the team once, earliest first, over pages of any size', async () => {
  const { call, time } = await openHarness()
  const ada = await call('user.create', { body: { client_user_id: 'ada' } })
  const bob = await call('user.create', { body: { client_user_id: 'bob' } })
  await call('link.demo', { body: { user_id: ada.user_id, provider: 'oura' } })
  await call('user.delete', { params: { user_id: bob.user_id } })
  const { jobs, next_cursor } = await call('job.list', {})
  expect(next_cursor).toBeNull()
  expect(jobs).toEqual(
    expect.arrayContaining([
      {
        kind: 'purge',
        user_id: bob.user_id,
        client_user_id: 'bob',
        subject: null,
        due_at: '2026-11-27T12:00:00+00:00',
        is_due: false,
      },
      expect.objectContaining({ kind: 'demo_end', user_id: ada.user_id, client_user_id: 'ada', is_due: false }),
    ]),
  )
  expect(jobs.map(job => job.due_at)).toEqual(jobs.map(job => job.due_at).sort())
  const listed: unknown[] = []
  for (let at: string | null | undefined; at !== null; ) {
    const page = await call('job.list', { query: { limit: 1, next_cursor: at } })
    listed.push(...page.jobs)
    at = page.next_cursor
  }
  expect(listed).toEqual(jobs)
  time.ms = Date.UTC(2026, 10, 27, 12)
  const purges = await call('job.list', { query: { kind: 'purge' } })
  expect(purges.jobs.map(job => [job.user_id, job.is_due])).toEqual([[bob.user_id, true]])
})

it('shows nothing of another team, and refuses a cursor of another list', async () => {
  const { call, refusal, engine } = await openHarness()
  for (const client_user_id of ['ada', 'bob']) {
    const { user_id } = await call('user.create', { body: { client_user_id } })
    await call('user.delete', { params: { user_id } })
  }
  const { api_key: apiKey } = await call('team.create', { body: { name: 'acme' } })
  const reply = await runOperation(engine.context, 'job.list', {
    input: { params: {}, query: {}, body: undefined },
    credentials: { kind: 'headers', apiKey, linkToken: null },
    accept: 'application/json',
  })
  expect(reply).toMatchObject({ body: { jobs: [], next_cursor: null } })
  const { next_cursor } = await call('job.list', { query: { limit: 1 } })
  const refused = await refusal('job.list', { query: { kind: 'purge', next_cursor } })
  expect(refused.status).toBe(422)
})
