/** Steps of the conversation: the caller's identity, the clock, figures, checks, and due work. */
import { topic } from '../conversation.ts'

const { steps, step } = topic()
export const engineSteps = steps

step('who is calling', 'team.whoami', {})
step('the clock', 'clock.get', {})
step('the figures of the store', 'engine.status', {})
step('the overview of the team', 'engine.overview', {})
step('check it', 'engine.check', {})
step('run due work when there is none', 'engine.run_due', {})
step('one job', 'job.list', { query: { limit: 1 } })
step('jobs of one kind', 'job.list', { query: { kind: 'retention' } })
step('jobs of an unknown kind', 'job.list', () => ({ query: { kind: 'scrub' } }))
step('jobs after a cursor of another list', 'job.list', { query: { next_cursor: 'AAAA' } })
step('a snapshot of the store', 'engine.snapshot', {})

step('freeze the clock', 'clock.set', { body: { freeze: true } })
step('move it while it is frozen', 'clock.set', { body: { advance: '1h' } })
step('neither frozen nor running', 'clock.set', () => ({ body: { freeze: 'a little' } }))
step('let it run again', 'clock.set', { body: { freeze: false } })
step('back to real time', 'clock.set', { body: { follow: 'real_time' } })

step('save a snapshot', 'snapshot.save', { body: { name: 'base' } })
step('save another one with that name', 'snapshot.save', { body: { name: 'base' } })
step('replace it', 'snapshot.save', { body: { name: 'base', replace: true } })
step('save a snapshot with a path as its name', 'snapshot.save', { body: { name: '../base' } })
step('the snapshots', 'snapshot.list', {})
step('restore it', 'snapshot.restore', { params: { name: 'base' } })
step('restore an unknown one', 'snapshot.restore', { params: { name: 'nowhere' } })
step('delete the snapshot', 'snapshot.delete', { params: { name: 'base' } })
step('delete it again', 'snapshot.delete', { params: { name: 'base' } })

step('fail on purpose', 'fault.add', {
  body: { effect: 'status', status: 503, method: 'GET', path: '/v2/nowhere/{id}', probability: 0.5, seed: 'x' },
})
step('wait on purpose', 'fault.add', { body: { effect: 'latency', latency_ms: 5, path: '/v2/nowhere', times: 2 } })
step('a status that is not a failure', 'fault.add', { body: { effect: 'status', status: 200 } })
step('the faults', 'fault.list', {})
step('end one of them', 'fault.clear', { query: { fault_id: 1 } })
step('end all that remain', 'fault.clear', {})
step('end one by a name', 'fault.clear', () => ({ query: { fault_id: 'x' } }))
step('reset without the confirmation word', 'engine.reset', () => ({ body: {} }))
