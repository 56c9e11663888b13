/** Kept import files that are read again after a mapping was mended: the differences, one undoable step, and what others have changed since. */
import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ImportItem } from '../../../src/connectors/files/importer.ts'
import { SampleBatchBuilder } from '../../../src/core/sample.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { times } from '../../kit/effort.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'

/** The older mapping, which changes what the importer yields. Null for today's. */
const older = vi.hoisted(() => ({ mapping: null as ((item: ImportItem) => readonly ImportItem[]) | null }))

vi.mock('../../../src/connectors/files/formats.ts', async importOriginal => {
  const actual = await importOriginal<typeof import('../../../src/connectors/files/formats.ts')>()
  return {
    ...actual,
    async importerOfFile(...file: Parameters<typeof actual.importerOfFile>) {
      const importer = await actual.importerOfFile(...file)
      return {
        ...importer,
        async *read(...given: Parameters<typeof importer.read>) {
          for await (const item of importer.read(...given)) yield* older.mapping?.(item) ?? [item]
        },
      }
    },
  }
})

let h: Harness
let user_id: string

beforeEach(async () => {
  older.mapping = null
  h = await openHarness()
  user_id = (await h.call('user.create', { body: { client_user_id: 'ada' } })).user_id
  await h.call('team.update', { params: { team_id: h.team.teamId }, body: { keep_import_days: 90 } })
})

interface Line {
  readonly resource: string
  readonly timestamp: string
  readonly value: number
}

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 19, 8, minute)).toISOString()
const steps = (minute: number, value: number): Line => ({ resource: 'steps', timestamp: at(minute), value })
const WORKOUT = { summary: 'workouts', id: 'run 7', at: at(0), document: { distance: 5000, calories: 300 } }
const FILE = [steps(0, 10), steps(1, 20), steps(2, 30), WORKOUT]

async function* bytes(text: string) {
  yield Buffer.from(text)
}

/** Imports lines as they are, or with the older mapping. */
async function load(lines: readonly object[], mapping: typeof older.mapping = null, to = user_id): Promise<string> {
  const text = lines.map(each => JSON.stringify({ ...each, provider: 'manual', source_type: 'app' })).join('\n')
  older.mapping = mapping
  try {
    const body = { kind: 'stream', stream: bytes(text) } as const
    const { import_id } = await h.call('import.create', { params: { user_id: to }, query: {}, body })
    return import_id ?? ''
  } finally {
    older.mapping = null
  }
}

/** Doubles values, loses the last sample of a batch, adds one an hour later, and stores another distance. */
function wrong(item: ImportItem): readonly ImportItem[] {
  if (item.kind === 'summary') {
    return [{ ...item, summary: { ...item.summary, document: { ...item.summary.document, distance: 5 } } }]
  }
  if (item.kind !== 'samples') return [item]
  const { batch } = item
  const value = batch.value.map(each => each * 2)
  const start = batch.start.map((each, row) => (row === batch.n - 1 ? each + 60 * 60_000 : each))
  return [{ ...item, batch: { ...batch, value, start, end: null } }]
}

async function stored(of = user_id): Promise<string[]> {
  const page = await h.call('timeseries.grouped', {
    params: { user_id: of, resource: 'steps' },
    query: { start_date: '2026-01-01' },
  })
  const samples = Object.values(page.groups)
    .flat()
    .flatMap(({ data }) => data.map(each => each as unknown as { start: string; value: number }))
  return samples.map(({ start, value }) => `${start.slice(11, 16)} ${value}`).sort()
}

async function distance(): Promise<unknown> {
  const query = { start_date: '2026-11-18', end_date: '2026-11-21' }
  const { workouts } = (await h.call('summary.get', {
    params: { user_id, resource: 'workouts' },
    query,
  })) as unknown as {
    workouts: { distance: number }[]
  }
  return workouts.map(each => each.distance)
}

type Body = Parameters<typeof remap>[0]
const remap = (body: { import_ids?: string[]; user_id?: string; format?: string }, query: object = {}) =>
  h.call('import.remap', { query, body: body as never })
const refused = (body: Body) => h.refusal('import.remap', { body: body as never })
const events = async () => {
  const { data } = await h.call('event.list', { query: { limit: 100, order: 'desc' } })
  return data.map(each => each.event_type)
}

const TODAY = ['08:00 10', '08:01 20', '08:02 30']
const BEFORE = ['08:00 20', '08:01 40', '09:02 60']

describe('a remap of a kept import', () => {
  it('gives what a fresh import with the new mapping gives, with events only for what changed', async () => {
    const id = await load(FILE, wrong)
    expect(await stored()).toEqual(BEFORE)
    const before = (await events()).length
    const report = await remap({ import_ids: [id] })
    expect(report).toMatchObject({
      dry_run: false,
      users: [
        {
          client_user_id: 'ada',
          import_ids: [id],
          records: 4,
          counts: {
            steps: { added: 1, changed: 2, removed: 1, kept: 0 },
            workouts: { added: 0, changed: 1, removed: 0, kept: 0 },
          },
        },
      ],
      changes: [],
    })
    const other = (await h.call('user.create', { body: { client_user_id: 'bob' } })).user_id
    const types = (await events()).slice(0, -before)
    await load(FILE, null, other)
    expect(await stored()).toEqual(await stored(other))
    expect(await stored()).toEqual(TODAY)
    expect(await distance()).toEqual([5000])
    expect(types.filter(type => type.startsWith('daily.')).sort()).toEqual([
      'daily.data.steps.created',
      'daily.data.steps.updated',
      'daily.data.workouts.updated',
    ])
  })

  it('is listed as an import, and its undo brings everything back', async () => {
    const id = await load(FILE, wrong)
    const { users } = await remap({ user_id })
    const remap_id = users[0]?.import_id ?? ''
    const { imports } = await h.call('import.list', { query: {} })
    const listed = imports.find(each => each.import_id === remap_id)
    expect(listed).toMatchObject({ format: 'remap', remap: { import_ids: [id], provider: null }, file: null })
    const undone = await h.call('import.undo', { params: { import_id: remap_id } })
    expect(undone).toMatchObject({ removed: { steps: 1 }, restored: { steps: 3, workouts: 1 }, kept: {} })
    expect(await stored()).toEqual(BEFORE)
    expect(await distance()).toEqual([5])
    await remap({ user_id })
    expect(await stored()).toEqual(TODAY)
    expect(await h.call('engine.check', {})).toMatchObject({ ok: true, problem_count: 0 })
  })

  it('changes nothing the second time, and stores nothing then', async () => {
    await load(FILE, wrong)
    await remap({ user_id })
    const before = await h.call('import.list', { query: {} })
    expect(await remap({ user_id })).toMatchObject({ users: [{ import_id: null, counts: {} }] })
    expect(await h.call('import.list', { query: {} })).toEqual(before)
  })

  it('follows a third mapping after a second one', async () => {
    const id = await load(FILE, wrong)
    older.mapping = item => (item.kind === 'samples' ? [] : [item])
    expect(await remap({ import_ids: [id] })).toMatchObject({ users: [{ counts: { steps: { removed: 3, kept: 0 } } }] })
    older.mapping = null
    expect(await remap({ import_ids: [id] })).toMatchObject({ users: [{ counts: { steps: { added: 3, kept: 0 } } }] })
    expect(await stored()).toEqual(TODAY)
  })

  it('restores what an import had replaced if the new mapping no longer makes it', async () => {
    await load([steps(62, 7)])
    const id = await load(FILE, wrong)
    expect(await stored()).toEqual(BEFORE)
    const { users } = await remap({ import_ids: [id] })
    expect(users[0]?.counts).toMatchObject({ steps: { added: 1, changed: 3, removed: 0, kept: 0 } })
    expect(await stored()).toEqual([...TODAY, '09:02 7'])
    await h.call('import.undo', { params: { import_id: users[0]?.import_id ?? '' } })
    expect(await stored()).toEqual(BEFORE)
  })
})

describe('a dry run', () => {
  it('lists every value that would change, and stores nothing', async () => {
    const id = await load(FILE, wrong)
    const report = await remap({ import_ids: [id] }, { dry_run: true })
    expect(report).toMatchObject({ dry_run: true, total: 5, next_cursor: null, users: [{ import_id: null }] })
    const shared = { client_user_id: 'ada', provider: 'manual', source_type: 'app', day: '2026-11-19' }
    expect(report.changes).toMatchObject([
      { ...shared, resource: 'steps', change: 'added', field: 'value', old: null, new: 30, unit: 'count' },
      { ...shared, resource: 'steps', change: 'changed', field: 'value', old: 20, new: 10, start: expect.any(String) },
      { ...shared, resource: 'steps', change: 'changed', field: 'value', old: 40, new: 20 },
      { ...shared, resource: 'workouts', change: 'changed', field: 'distance', old: 5, new: 5000, start: null },
      { ...shared, resource: 'steps', change: 'removed', field: 'value', old: 60, new: null },
    ])
    expect(await stored()).toEqual(BEFORE)
    expect((await h.call('import.list', { query: {} })).imports).toHaveLength(1)
  })

  it('is read page by page', async () => {
    const id = await load(FILE, wrong)
    const whole = await remap({ import_ids: [id] }, { dry_run: true })
    const pages: object[] = []
    for (let next_cursor: string | null | undefined; next_cursor !== null; ) {
      const page = await remap({ import_ids: [id] }, { dry_run: true, limit: 2, next_cursor })
      expect(page.total).toBe(5)
      pages.push(...page.changes)
      next_cursor = page.next_cursor
    }
    expect(pages).toEqual(whole.changes)
  })
})

describe('what has changed since', () => {
  it('keeps what another import changed', async () => {
    const id = await load(FILE, wrong)
    await load([steps(0, 99)])
    const { users } = await remap({ import_ids: [id] })
    expect(users[0]?.counts['steps']).toEqual({ added: 1, changed: 1, removed: 1, kept: 1 })
    expect(await stored()).toEqual(['08:00 99', ...TODAY.slice(1)])
  })

  it('keeps what a person pushed, and does not bring back what was deleted', async () => {
    const id = await load(FILE, wrong)
    const pushed = JSON.stringify({ ...steps(0, 99), provider: 'manual', source_type: 'app' })
    const body = { kind: 'stream', stream: bytes(pushed) } as const
    await h.call('samples.push', { params: { user_id }, body })
    await h.call('timeseries.delete', {
      params: { user_id, resource: 'steps' },
      query: { start_date: at(1), end_date: at(1) },
    })
    expect(await stored()).toEqual(['08:00 99', '09:02 60'])
    const { users } = await remap({ import_ids: [id] })
    expect(users[0]?.counts['steps']).toEqual({ added: 1, changed: 0, removed: 1, kept: 2 })
    expect(await stored()).toEqual(['08:00 99', '08:02 30'])
  })

  it('keeps in an undo what has changed since the remap', async () => {
    const id = await load(FILE, wrong)
    const { users } = await remap({ import_ids: [id] })
    await load([steps(0, 99), steps(62, 98)])
    const undone = await h.call('import.undo', { params: { import_id: users[0]?.import_id ?? '' } })
    expect(undone).toMatchObject({ removed: { steps: 1 }, restored: { steps: 1 }, kept: { steps: 2 } })
    expect(await stored()).toEqual(['08:00 99', '08:01 40', '09:02 98'])
  })

  it('lets the import be undone before its remap, in any order', async () => {
    const id = await load(FILE, wrong)
    const { users } = await remap({ import_ids: [id] })
    await h.call('import.undo', { params: { import_id: id } })
    expect(await stored()).toEqual(TODAY)
    await h.call('import.undo', { params: { import_id: users[0]?.import_id ?? '' } })
    expect(await stored()).toEqual([])
    expect(await distance()).toEqual([])
  })
})

describe('any two mappings', () => {
  /** Values by minute. */
  type Values = Readonly<Record<number, number>>
  const values: fc.Arbitrary<Values> = fc.dictionary(fc.constantFrom('0', '1', '2', '3', '4'), fc.constantFrom(1, 2))
  const minutes = [0, 1, 2, 3, 4]
  const linesOf = (some: Values): Line[] => Object.entries(some).map(([minute, value]) => steps(Number(minute), value))

  /** Yields these samples instead of those in the file. */
  const instead = (some: Values) => (item: ImportItem) => {
    if (item.kind === 'samples') return []
    if (item.kind !== 'summary') return [item]
    const series = { resource: 'steps', type: null, provider: 'manual', sourceType: 'app' }
    const batch = new SampleBatchBuilder(series)
    for (const [minute, value] of Object.entries(some)) batch.push({ start: Date.parse(at(Number(minute))), value })
    return [item, { kind: 'samples' as const, batch: batch.take() }]
  }

  const present = async (of: string): Promise<(number | undefined)[]> => {
    const lines = await stored(of)
    return minutes.map(
      minute => lines.flatMap(each => (each.startsWith(`08:0${minute} `) ? Number(each.slice(6)) : []))[0],
    )
  }

  it('give the difference between them, keep what others wrote before and after, and are undone exactly', async () => {
    let who = 0
    const cases = fc.asyncProperty(
      values,
      values,
      values,
      values,
      fc.option(values),
      fc.boolean(),
      async (earlier, old, now, later, middle, isForward) => {
        const owner = (await h.call('user.create', { body: { client_user_id: `p${who++}` } })).user_id
        if (Object.keys(earlier).length > 0) await load(linesOf(earlier), null, owner)
        const id = await load([WORKOUT, ...linesOf(now)], instead(old), owner)
        if (Object.keys(later).length > 0) await load(linesOf(later), null, owner)
        const before = await present(owner)
        const remaps: (string | null | undefined)[] = []
        if (middle !== null) {
          older.mapping = instead(middle)
          const { users } = await remap({ import_ids: [id] }).finally(() => {
            older.mapping = null
          })
          remaps.push(users[0]?.import_id)
        }
        const { users } = await remap({ import_ids: [id] })
        expect(await present(owner)).toEqual(
          minutes.map(minute => {
            const [p, o, n, found] = [earlier[minute], old[minute], now[minute], before[minute]]
            const isOurs = o !== undefined && o !== p && found === o
            if (isOurs) return n ?? p
            return found ?? (o === undefined ? n : undefined)
          }),
        )
        expect((await remap({ import_ids: [id] })).users[0]?.import_id).toBeNull()
        const steps = [...remaps, users[0]?.import_id]
        for (const import_id of isForward ? steps : steps.reverse()) {
          if (import_id) await h.call('import.undo', { params: { import_id } })
        }
        expect(await present(owner)).toEqual(before)
      },
    )
    await fc.assert(cases, { seed, numRuns: times(40) })
  })
})

describe('several imports', () => {
  it('are one step for each user', async () => {
    const bob = (await h.call('user.create', { body: { client_user_id: 'bob' } })).user_id
    await load(FILE, wrong)
    await load([steps(30, 5)], wrong)
    await load(FILE, wrong, bob)
    const report = await remap({ format: 'svc_items' })
    expect(report.users.map(each => [each.client_user_id, each.import_ids.length])).toEqual(
      expect.arrayContaining([
        ['ada', 2],
        ['bob', 1],
      ]),
    )
    expect(new Set(report.users.map(each => each.import_id)).size).toBe(2)
    expect(await stored()).toEqual([...TODAY, '08:30 5'])
    expect(await stored(bob)).toEqual(TODAY)
  })

  it('are read with the options and the time zone of their import', async () => {
    const csv = 'when,count\n2026-11-19 08:00,10\n'
    const mapping = { columns: { start: 'when', value: 'count' }, resource: 'steps', time_zone: 'Europe/Berlin' }
    older.mapping = wrong
    const query = { provider: 'manual', source_type: 'app', mapping: JSON.stringify(mapping) } as never
    const body = { kind: 'stream', stream: bytes(csv) } as const
    await h.call('import.create', { params: { user_id }, query, body })
    older.mapping = null
    await h.call('user.patch', { params: { user_id }, body: { fallback_time_zone: 'Asia/Tokyo' } as never })
    await remap({ user_id })
    expect(await stored()).toEqual(['07:00 10'])
  })

  it('that were read again together stay together', async () => {
    const first = await load(FILE, wrong)
    const second = await load([steps(30, 5)])
    older.mapping = item =>
      item.kind === 'samples' ? [{ ...item, batch: { ...item.batch, value: item.batch.value.map(() => 1) } }] : [item]
    await remap({ user_id })
    older.mapping = null
    const report = await remap({ import_ids: [first] })
    expect(report.users[0]?.import_ids).toEqual([first, second])
    expect(await stored()).toEqual([...TODAY, '08:30 5'])
  })
})

describe('what cannot be read again', () => {
  it('is an import whose file is not kept, with the way to keep files', async () => {
    await h.call('team.update', { params: { team_id: h.team.teamId }, body: { keep_import_days: null } })
    const id = await load(FILE)
    const error = await refused({ import_ids: [id] })
    expect(error.code).toBe('conflict')
    expect(error.message).toContain('its content is not kept')
    expect(error.suggestions.join(' ')).toContain('--keep-imports 90d')
    expect((await refused({ user_id })).message).toContain('The only import cannot be read again')
    await h.call('team.update', { params: { team_id: h.team.teamId }, body: { keep_import_days: 1 } })
    await load([steps(7, 7)])
    expect(await remap({ user_id })).toMatchObject({ users: [{}], left_out: [{ import_id: id, count: 1 }] })
  })

  it('is an import that was undone, a remap, and an unknown import', async () => {
    const id = await load(FILE, wrong)
    const { users } = await remap({ import_ids: [id] })
    expect((await refused({ import_ids: [users[0]?.import_id ?? ''] })).message).toContain('is a remap')
    await h.call('import.undo', { params: { import_id: id } })
    expect((await refused({ import_ids: [id] })).message).toContain('was undone')
    expect((await refused({ import_ids: ['738bccc0-d121-466c-a203-f6ce695222d0'] })).code).toBe('not_found')
    expect((await refused({})).code).toBe('invalid_request')
    expect((await refused({ import_ids: [id], user_id })).code).toBe('invalid_request')
  })
})

describe('the content of a file', () => {
  const kept = async () => (await h.call('import.list', { query: {} })).imports.map(({ file }) => file?.kept)

  it('is removed with its import, and when the team no longer keeps files', async () => {
    const first = await load(FILE)
    await load([steps(5, 5)])
    expect(await kept()).toEqual([true, true])
    await h.call('import.undo', { params: { import_id: first } })
    expect((await kept()).sort()).toEqual([false, true])
    h.time.ms += 91 * DAY_MS
    expect(await h.call('engine.run_due', {})).toMatchObject({
      ran: expect.arrayContaining([{ kind: 'import_file', count: 1 }]),
    })
    expect(await kept()).toEqual([false, false])
  })

  it('is encrypted, and in no export', async () => {
    const marked = { ...steps(5, 5), timestamp: at(5) }
    const id = await load([marked])
    const sealed = await h.engine.context.store.imports.filePart(user_id as never, id, 0)
    expect(Buffer.from(sealed ?? new Uint8Array()).includes('timestamp')).toBe(false)
    expect(sealed?.length).toBeGreaterThan(50)
  })

  it('of a table of several users, or of a team that keeps none, is not kept', async () => {
    const csv = 'who,when,count\nada,2026-11-19 08:00,10\n'
    const mapping = { columns: { user: 'who', start: 'when', value: 'count' }, resource: 'steps' }
    const query = { mapping: JSON.stringify(mapping) } as never
    const { imports } = await h.call('imports.create', { query, body: { kind: 'stream', stream: bytes(csv) } })
    expect(imports[0]?.file).toMatchObject({ bytes: csv.length, kept: false, not_kept: 'data of several users' })
    await h.call('team.update', { params: { team_id: h.team.teamId }, body: { keep_import_days: null } })
    await load(FILE)
    const { imports: listed } = await h.call('import.list', { query: {} })
    expect(listed.map(({ file }) => file)).toMatchObject([
      { kept: false, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { kept: false },
    ])
  })

  it('of a process that was killed is removed after a day', async () => {
    const { imports } = h.engine.context.store
    const importId = '738bccc0-d121-466c-a203-f6ce695222d0'
    const part = { importId, part: 0, at: h.time.ms, sealed: new Uint8Array(9) }
    await imports.addFilePart(user_id as never, part)
    const left = () => imports.filePart(user_id as never, importId, 0)
    await h.call('engine.run_due', {})
    expect(await left()).not.toBeNull()
    h.time.ms += DAY_MS + 1
    await h.call('engine.run_due', {})
    expect(await left()).toBeNull()
  })
})
