/**
 * The samples of a user after any history of writes, imports, deletions and undone imports, compared with a plain Map that had the same
 * changes, for any order, batching and overlap.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SeriesKey } from '../../src/core/sample.ts'
import { DAY_MS } from '../../src/core/time.ts'
import type { Store } from '../../src/store/port.ts'
import { times } from '../kit/effort.ts'
import { seed } from '../kit/seed.ts'
import { buildBatch, storeWithUser, TEAM, USER, writing } from './user-store.ts'

const START = Date.UTC(2026, 0, 1)
const SERIES: readonly SeriesKey[] = [
  { resource: 'heartrate', type: null, provider: 'whoop', sourceType: 'watch' },
  { resource: 'heartrate', type: null, provider: 'zwift', sourceType: 'ring' },
]

interface Sample {
  readonly series: number
  /** Half hours after the start. */
  readonly slot: number
  readonly value: number
  readonly app: string | null
}
type Batches = readonly (readonly Sample[])[]
type Step =
  | { readonly kind: 'write'; readonly batches: Batches }
  | { readonly kind: 'import'; readonly batches: Batches }
  | { readonly kind: 'delete'; readonly from: number; readonly to: number }
  | { readonly kind: 'undo'; readonly which: number }

const SLOTS = 150
const slotTime = (slot: number): number => START + slot * (DAY_MS / 48)

const sample = fc.record({
  series: fc.constantFrom(0, 1),
  slot: fc.nat(SLOTS),
  value: fc.constantFrom(60, 61, 61.5, -0, 1e-9),
  app: fc.constantFrom(null, 'a', 'b'),
})
const data = fc.array(fc.array(sample, { maxLength: 60 }), { minLength: 1, maxLength: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: data.map(batches => ({ kind: 'write' as const, batches })) },
  { weight: 3, arbitrary: data.map(batches => ({ kind: 'import' as const, batches })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(SLOTS), fc.nat(40))
      .map(([from, length]) => ({ kind: 'delete' as const, from, to: from + length })),
  },
  { weight: 2, arbitrary: fc.nat(5).map(which => ({ kind: 'undo' as const, which })) },
)

type Kept = Readonly<Pick<Sample, 'value' | 'app'>>
const same = (a: Kept | undefined, b: Kept | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Object.is(a.value, b.value) && a.app === b.app)

/** The model to compare the store with. */
class Model {
  readonly samples = new Map<string, Kept>()
  private readonly imports: Map<string, { before: Kept | undefined; after: Kept }>[] = []

  write(batches: Batches, isImport: boolean): void {
    const last = new Map<string, Kept>()
    for (const { series, slot, value, app } of batches.flat()) last.set(`${series} ${slot} ${app}`, { value, app })
    const changed: Model['imports'][number] = new Map()
    for (const [key, after] of last) {
      const before = this.samples.get(key)
      if (same(before, after)) continue
      changed.set(key, { before, after })
      this.samples.set(key, after)
    }
    if (isImport) this.imports.push(changed)
  }

  delete(from: number, to: number): number {
    let deleted = 0
    for (const key of [...this.samples.keys()]) {
      const slot = Number(key.split(' ')[1])
      if (slot >= from && slot <= to && this.samples.delete(key)) deleted++
    }
    return deleted
  }

  undo(index: number): void {
    for (const [key, { before, after }] of this.imports[index] as Model['imports'][number]) {
      if (!same(this.samples.get(key), after)) this.handOn(index, key, before, after)
      else if (before) this.samples.set(key, before)
      else this.samples.delete(key)
    }
    this.imports[index]?.clear()
  }

  /** Passes the earlier value on to the next import that replaced this one's data, so that undoing that import restores it. */
  private handOn(index: number, key: string, before: Kept | undefined, after: Kept): void {
    for (const later of this.imports.slice(index + 1)) {
      const found = later.get(key)
      if (!found?.before || !same(found.before, after)) continue
      later.set(key, { ...found, before })
      return
    }
  }

  sorted(): string[] {
    return [...this.samples].map(([key, { value }]) => `${key} ${Object.is(value, -0) ? '-0' : value}`).sort()
  }
}

async function stored(store: Store): Promise<string[]> {
  const found: string[] = []
  for await (const { series, columns } of store.samples.scan(USER, EVERYTHING)) {
    const index = SERIES.findIndex(each => each.provider === series.provider)
    for (let i = 0; i < columns.n; i++) {
      const slot = ((columns.start[i] as number) - START) / (DAY_MS / 48)
      const value = columns.value[i] as number
      const code = columns.text.get('app_id')?.codes[i] ?? 0
      const app = code === 0 ? null : columns.text.get('app_id')?.values[code - 1]
      found.push(`${index} ${slot} ${app} ${Object.is(value, -0) ? '-0' : value}`)
    }
  }
  return found.sort()
}

const EVERYTHING = { resource: 'heartrate', provider: null, from: START, to: START + 100 * DAY_MS }

const toBatches = (batches: Batches) =>
  batches.flatMap(samples =>
    SERIES.map((series, index) =>
      buildBatch(
        series,
        samples
          .filter(each => each.series === index)
          .map(({ slot, value, app }) => ({ start: slotTime(slot), value, text: { app_id: app } })),
      ),
    ),
  )

const importId = (index: number): string => `22222222-2222-8222-8222-${String(index).padStart(12, '0')}`

async function go(store: Store, steps: readonly Step[]): Promise<void> {
  const model = new Model()
  const undone = new Set<number>()
  let imports = 0
  for (const [at, each] of steps.entries()) {
    if (each.kind === 'write') {
      await store.data.write(USER, writing(toBatches(each.batches), { at: START + at }))
      model.write(each.batches, false)
    } else if (each.kind === 'import') {
      const spool = await store.data.openSpool()
      for (const batch of toBatches(each.batches)) await spool.add({ batches: [batch], summaries: [], streams: [] })
      const { at: when, events, connections } = writing([], { at: START + at })
      const importing = { importId: importId(imports++), format: 'test', records: 0, skipped: [] }
      await spool.merge(USER, { at: when, teamId: TEAM, events, connections, importing })
      model.write(each.batches, true)
    } else if (each.kind === 'delete') {
      const range = { ...EVERYTHING, from: slotTime(each.from), to: slotTime(each.to) }
      expect(await store.samples.delete(USER, range, 0)).toBe(model.delete(each.from, each.to))
    } else if (imports > 0) {
      const which = each.which % imports
      const outcome = await store.imports.undo(USER, importId(which), START + at)
      expect(outcome.kind).toBe(undone.has(which) ? 'undone_before' : 'undone')
      if (!undone.has(which)) model.undo(which)
      undone.add(which)
    }
    expect(await stored(store)).toEqual(model.sorted())
  }
}

describe('a user’s samples', () => {
  it('match a plain Map after any writes, imports, deletions and undone imports', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async steps => {
        const store = await storeWithUser()
        try {
          await go(store, steps)
        } finally {
          await store.close()
        }
      }),
      { numRuns: times(20), seed },
    )
  }, 120_000)
})
