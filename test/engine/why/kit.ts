/** An engine with one user, and short ways to store data and to ask where a number comes from. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { WhyDocument } from '../../../src/contract/aggregates/why.ts'
import type { CallerInput } from '../../../src/contract/kernel/operation.ts'
import type { Operations } from '../../../src/contract/operations.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

export type WhyAsked = NonNullable<CallerInput<Operations['aggregate.why']>['query']>
type Item = Readonly<Record<string, unknown>>

export const DAY = '2026-11-16'

/** Returns a kit whose engine is new in each test. */
export function whyKit() {
  const files = temporaryFolder()
  const kit = {
    h: undefined as unknown as Harness,
    user_id: '',
    made: 0,
    /** Stores items as an application does. */
    async push(...items: readonly Item[]): Promise<void> {
      const samples = items.filter(item => 'resource' in item)
      const summaries = items.filter(item => 'document' in item)
      const body = [Buffer.from(JSON.stringify({ samples, summaries }))]
      const stream = (async function* () {
        yield* body
      })()
      await kit.h.call('samples.push', { params: { user_id: kit.user_id }, body: { kind: 'stream', stream } })
    },
    /** Deletes all steps. */
    async clear(): Promise<void> {
      const params = { user_id: kit.user_id, resource: 'steps' }
      await kit.h.call('timeseries.delete', { params, query: { start_date: '2026-01-01', end_date: '2027-01-01' } })
    },
    /** Imports a file. Returns the ID of the import. */
    async load(text: string, query: object = {}): Promise<string> {
      const path = join(files, `file-${kit.made++}`)
      writeFileSync(path, text)
      const params = { user_id: kit.user_id }
      const done = await kit.h.call('import.create', { params, query, body: { kind: 'file', path } })
      return String(done.import_id)
    },
    ask(query: Partial<WhyAsked> = {}): Promise<WhyDocument> {
      const asked = { function: 'sum', column: 'steps', period: DAY, ...query }
      return kit.h.call('aggregate.why', { params: { user_id: kit.user_id }, query: asked }) as Promise<WhyDocument>
    },
    refusal(query: Partial<WhyAsked> = {}) {
      const asked = { function: 'sum', column: 'steps', period: DAY, ...query }
      return kit.h.refusal('aggregate.why', { params: { user_id: kit.user_id }, query: asked })
    },
    /** Returns the number that the query of a document returns. */
    async queried({ query }: WhyDocument): Promise<unknown> {
      const asked = { params: { user_id: kit.user_id }, body: query as never }
      const [result] = (await kit.h.call('aggregate.query', asked)).results
      return Object.entries(result?.table ?? {}).find(([name]) => !name.includes('kind'))?.[1]
    },
  }
  beforeEach(async () => {
    kit.h = await openHarness()
    kit.user_id = (await kit.h.call('user.create', { body: { client_user_id: 'ada' } })).user_id
  })
  afterEach(() => kit.h.engine.close())
  return kit
}

/** Returns steps from one time of the day to another: `steps('08:00', '09:00', 100, WATCH)`. */
export function steps(from: string, to: string, value: number, more: object = {}): Item {
  const at = (time: string) => `${time.length === 5 ? `${DAY}T${time}:00` : time}Z`
  return { resource: 'steps', start: at(from), end: at(to), value, ...more }
}

export const WATCH = { provider: 'garmin', source_type: 'watch' } as const
export const PHONE = { provider: 'apple_health_kit', source_type: 'phone' } as const

/** Returns what a document says was left out, in short. */
export function leftOut({ left_out }: WhyDocument): unknown[] {
  return left_out.map(({ code, rows, value, rule, reason }) => [code, rows, value, rule, reason])
}
