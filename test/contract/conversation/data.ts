/** Steps of the conversation: imports, pushes, deletions and exports of an application's data. */
import { forUser, inBytes, type Memory, NOBODY, RANGE, text, topic, user } from '../conversation.ts'

const { steps, step } = topic()
export const dataSteps = steps

const exportFile = (memory: Memory): string => text(memory, 'files', 'export')
const samples = (name: string, resource: string, query: { start_date: string; provider?: string }): void =>
  step(name, 'timeseries.grouped', memory => ({ params: { user_id: user(memory), resource }, query }))

step('the team of the imports', 'team.whoami', {})
step('keep imported files', 'team.update', memory => ({
  params: { team_id: text(memory, 'the team of the imports', 'team_id') },
  body: { keep_import_days: 90 },
}))
step('keep imported files for no days', 'team.update', memory => ({
  params: { team_id: text(memory, 'the team of the imports', 'team_id') },
  body: { keep_import_days: 0 },
}))
step('import', 'import.create', memory => ({ ...forUser(memory), body: { kind: 'file', path: exportFile(memory) } }))
step('import of an unknown format', 'import.create', memory => ({
  ...forUser(memory),
  query: { format: 'nonsense' },
  body: { kind: 'file', path: exportFile(memory) },
}))
step('import for an unknown user', 'import.create', memory => ({
  params: { user_id: NOBODY },
  body: { kind: 'file', path: exportFile(memory) },
}))
samples('steps after the import', 'steps', { start_date: '2026-11-19', provider: 'apple_health_kit' })

const push = (name: string, body: () => object | string, to: (memory: Memory) => object = forUser): void =>
  step(name, 'samples.push', memory => ({ ...to(memory), body: inBytes(body()) }))
const PUSHED = { resource: 'glucose', timestamp: '2026-11-19T08:30:00+01:00', value: 5.5 }
push('push samples', () => ({ samples: [PUSHED], summaries: [] }))
push('push them again as lines', () => `${JSON.stringify(PUSHED)}\n`)
push('push what is wrong', () => [PUSHED, { ...PUSHED, value: null }])
push('push rubbish', () => 'rubbish')
push(
  'push for nobody',
  () => [PUSHED],
  () => ({ params: { user_id: NOBODY } }),
)
samples('glucose after the push', 'glucose', RANGE)
const exported = (name: string, params: (memory: Memory) => object): void => step(name, 'user.export', params as never)
exported('export the user', forUser)
exported('export nobody', () => ({ params: { user_id: NOBODY } }))
const removal = (name: string, query: object, user_id?: string): void =>
  step(name, 'timeseries.delete', memory => ({
    params: { user_id: user_id ?? user(memory), resource: 'glucose' },
    query: { provider: 'manual', ...query },
  }))
removal('delete the pushed samples', RANGE)
removal('delete them again', RANGE)
removal('delete without an end', { start_date: '2026-11-01' })
removal('delete of nobody', RANGE, NOBODY)
step('import as a dry run', 'import.create', memory => ({
  ...forUser(memory),
  query: { dry_run: true },
  body: { kind: 'file', path: exportFile(memory) },
}))
step('import of an unknown provider', 'import.create', memory => ({
  ...forUser(memory),
  query: { provider: 'whop' },
  body: { kind: 'file', path: exportFile(memory) },
}))
step('import with an invalid mapping', 'import.create', memory => ({
  ...forUser(memory),
  query: { mapping: '{"columns":{"strat":"Time"}}' },
  body: { kind: 'file', path: exportFile(memory) },
}))
const study = (name: string, columns: object, create_users: boolean, rows: string): void =>
  step(name, 'imports.create', () => ({
    query: { mapping: JSON.stringify({ columns, resource: 'water' }), create_users },
    body: inBytes(`who,at,ml\n${rows}`),
  }))
const STUDY = { user: 'who', start: 'at', value: 'ml' }
study('import of a table of two people', STUDY, true, 'p1,2026-11-19,250\np2,2026-11-19,300\n')
study('import of a table with unknown people', STUDY, false, 'p1,2026-11-19,250\np3,2026-11-19,300\n')
study('import of people that are not named', { start: 'at', value: 'ml' }, false, 'p1,2026-11-19,250\n')
step('imports', 'import.list', {})
step('imports of the user', 'import.list', memory => ({ query: { user_id: user(memory), limit: 1 } }))
step('imports of an unknown user', 'import.list', { query: { user_id: NOBODY } })
const remap = (name: string, body: object, query: object = {}): void =>
  step(name, 'import.remap', { body: body as never, query: query as never })
step('read the import again', 'import.remap', memory => ({
  body: { import_ids: [text(memory, 'import', 'import_id')] },
}))
step('changes of the imports of the user', 'import.remap', memory => ({
  query: { dry_run: true, limit: 5 },
  body: { user_id: user(memory) },
}))
remap('read an unknown import again', { import_ids: [NOBODY] })
remap('read the imports of an unknown user again', { user_id: NOBODY })
remap('read no imports again', {})
remap('read imports again with a cursor of something else', { format: 'csv' }, { dry_run: true, next_cursor: 'x' })
const undo = (name: string): void =>
  step(name, 'import.undo', memory => ({ params: { import_id: text(memory, 'import', 'import_id') } }))
undo('undo the import')
undo('undo the import again')
step('read an undone import again', 'import.remap', memory => ({
  body: { import_ids: [text(memory, 'import', 'import_id')] },
}))
step('undo an unknown import', 'import.undo', { params: { import_id: NOBODY } })
