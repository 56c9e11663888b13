/** Steps of the conversation: the caller's identity, the clock, figures, checks, and due work. */
import { topic } from '../conversation.ts'

const { steps, step } = topic()
export const engineSteps = steps

step('who is calling', 'team.whoami', {})
step('the clock', 'clock.get', {})
step('the figures of the store', 'engine.status', {})
step('check it', 'engine.check', {})
step('run what is due: nothing', 'engine.run_due', {})
step('one job', 'job.list', { query: { limit: 1 } })
step('jobs of one kind', 'job.list', { query: { kind: 'retention' } })
step('jobs of no kind', 'job.list', () => ({ query: { kind: 'scrub' } }))
step('jobs after a cursor of something else', 'job.list', { query: { next_cursor: 'AAAA' } })
step('a snapshot of the store', 'engine.snapshot', {})

step('hold the clock still', 'clock.set', { body: { freeze: true } })
step('move it while it stands still', 'clock.set', { body: { advance: '1h' } })
step('neither still nor running', 'clock.set', () => ({ body: { freeze: 'a little' } }))
step('let it run on', 'clock.set', { body: { freeze: false } })
step('back to real time', 'clock.set', { body: { follow: 'real_time' } })

step('keep a snapshot', 'snapshot.save', { body: { name: 'base' } })
step('keep another one of that name', 'snapshot.save', { body: { name: 'base' } })
step('replace it', 'snapshot.save', { body: { name: 'base', replace: true } })
step('a snapshot whose name leads elsewhere', 'snapshot.save', { body: { name: '../base' } })
step('the snapshots', 'snapshot.list', {})
step('go back to it', 'snapshot.restore', { params: { name: 'base' } })
step('go back to one that is not there', 'snapshot.restore', { params: { name: 'nowhere' } })
step('delete the snapshot', 'snapshot.delete', { params: { name: 'base' } })
step('delete it again', 'snapshot.delete', { params: { name: 'base' } })

step('fail on purpose', 'fault.add', {
  body: { effect: 'status', status: 503, method: 'GET', path: '/v2/nowhere/{id}', probability: 0.5, seed: 'x' },
})
step('wait on purpose', 'fault.add', { body: { effect: 'latency', latency_ms: 5, path: '/v2/nowhere', times: 2 } })
step('a status that is no failure', 'fault.add', { body: { effect: 'status', status: 200 } })
step('the faults', 'fault.list', {})
step('end one of them', 'fault.clear', { query: { fault_id: 1 } })
step('end all that is left', 'fault.clear', {})
step('end one by a name', 'fault.clear', () => ({ query: { fault_id: 'x' } }))
step('start anew without the word', 'engine.reset', () => ({ body: {} }))
