/**
 * The catalogue of the statements that the store's logic runs. Each is defined through `query` or `command`, which are replaced here so that
 * they list what they define. A whole conversation with the service then shows that nothing else runs.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ChangeCounts } from '../../../src/store/logic/rows/counted-bytes.ts'
import type * as StepsModule from '../../../src/store/logic/steps.ts'
import type { SqlText, Step, Steps } from '../../../src/store/logic/steps.ts'
import { perform, through } from '../../../src/store/logic/steps.ts'
import { SQLITE } from '../../../src/store/sqlite/dialect.ts'
import { StepRunner } from '../../../src/store/sqlite/step-runner.ts'
import { near, prepareGround } from '../../contract/conversation/ways.ts'
import { wholeConversation } from '../../contract/conversation/whole.ts'
import { converse } from '../../contract/conversation.ts'
import { root } from '../../kit/sandbox.ts'
import { BUILT_AT_RUN_TIME, EXCEPTIONS } from './statement-exceptions.ts'
import { neutral, ofOneDatabase, tablesOfAnyUser } from './statements.ts'

interface Definition {
  /** Relative to src/store. */
  readonly file: string
  readonly text: SqlText
}

/** All definitions so far. */
const defined = vi.hoisted((): Definition[] => [])

vi.mock('../../../src/store/logic/steps.ts', async original => {
  const steps = await original<typeof StepsModule>()
  const listed =
    <T>(define: (text: SqlText) => T) =>
    (text: SqlText): T => {
      defined.push({ file: definingFile(new Error().stack ?? ''), text })
      return define(text)
    }
  return { ...steps, query: listed(steps.query), command: listed(steps.command) }
})

/** Returns the file that called `query` or `command`, directly or through the definition of a table. */
function definingFile(stack: string): string {
  const files = [...stack.matchAll(/src\/store\/([\w/-]+\.ts)/g)].map(([, file]) => file as string)
  return files.find(file => !/logic\/rows\/(?:checked|plain)-rows/.test(file)) ?? ''
}

const LOGIC = join(root, 'src/store/logic')
const ofLogic = ({ file }: Definition): boolean => file.startsWith('logic/')
const shown = ({ file, text }: Definition): string => `${file}: ${neutral(text)}`

/** The number of statements defined when all modules were loaded. */
let loaded = 0
const ran = new Set<SqlText>()

beforeAll(async () => {
  for (const name of readdirSync(LOGIC, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.ts')) await import(join(LOGIC, name))
  loaded = defined.length
  const { drive } = StepRunner.prototype
  const spy = vi.spyOn(StepRunner.prototype, 'drive').mockImplementation(function <T>(
    this: StepRunner,
    steps: Steps<T>,
  ) {
    return drive.call(this, watched(steps)) as T // `call` loses the type of the transaction
  })
  const ground = await prepareGround()
  const client = await near(ground)
  await converse(client, wholeConversation, ground)
  await client.close()
  spy.mockRestore()
})

function watched<T>(steps: Steps<T>): Steps<T> {
  return through(steps, function* (step) {
    for (const text of listTexts(step)) ran.add(text)
    return yield* perform(step)
  })
}

function listTexts(step: Step): SqlText[] {
  if (step.kind === 'together') return step.steps.flatMap(listTexts)
  return 'statement' in step ? [step.statement.text] : []
}

describe('the catalogue of statements', () => {
  it('lists every statement that runs', () => {
    const known = new Set(defined.map(({ text }) => text))
    expect([...ran].filter(text => !known.has(text)).map(neutral)).toEqual([])
    expect(ran.size).toBeGreaterThan(200)
    expect(
      listTexts({ kind: 'run', statement: { text: 'DELETE FROM team' }, values: [] }).some(text => known.has(text)),
    ).toBe(false)
  })

  it('grows at run time only where the number of conditions varies', () => {
    const files = new Set(
      defined
        .slice(loaded)
        .filter(ofLogic)
        .map(({ file }) => file),
    )
    expect([...files].sort()).toEqual(Object.keys(BUILT_AT_RUN_TIME).sort())
  })

  it('names the user in every statement about rows of users, with listed exceptions', () => {
    const ofAnyUser = defined.filter(ofLogic).filter(({ text }) => tablesOfAnyUser(neutral(text)).length > 0)
    const isExcepted = (each: Definition): boolean =>
      EXCEPTIONS.some(({ file, has }) => `logic/${file}` === each.file && neutral(each.text).includes(has))
    expect(ofAnyUser.filter(each => !isExcepted(each)).map(shown)).toEqual([])
    const isUsed = ({ file, has }: { file: string; has: string }): boolean =>
      ofAnyUser.some(each => each.file === `logic/${file}` && neutral(each.text).includes(has))
    expect(EXCEPTIONS.filter(each => !isUsed(each))).toEqual([])
  })

  it('counts every statement that changes the bytes of a user, by reading the same rows', () => {
    const counts = new ChangeCounts(SQLITE)
    const counted = defined.flatMap(({ file, text }) => {
      const count = counts.of(neutral(text))
      return count === null ? [] : [{ file, count: neutral(count.text) }]
    })
    expect(counted.length).toBeGreaterThan(25)
    expect(counted.filter(({ count }) => tablesOfAnyUser(count).length > 0)).toEqual([])
    // a LIMIT without an order may select other rows the second time; the count of a purged user is gone
    const isUncertain = /\bLIMIT\b/
    const uncertain = counted.filter(({ count }) => isUncertain.test(count) && !count.includes('ORDER BY'))
    expect(uncertain.filter(({ file }) => file !== 'logic/users/purge.ts')).toEqual([])
  })

  it('contains nothing that only one database understands, outside of the dialect', () => {
    const found = defined.filter(ofLogic).map(each => ({ each, what: ofOneDatabase(neutral(each.text)) }))
    expect(found.filter(({ what }) => what.length > 0).map(({ each, what }) => `${what}: ${shown(each)}`)).toEqual([])
  })
})

describe('a statement about rows of users', () => {
  it.each([
    'SELECT * FROM outbox WHERE user_id=? AND sequence>?',
    'SELECT * FROM outbox AS o WHERE o.user_id IN (SELECT «listed»)',
    'SELECT 1 FROM user WHERE user_id=? AND EXISTS (SELECT 1 FROM job WHERE job.user_id=user.user_id)',
    'DELETE FROM stream WHERE (user_id, workout_id)=(?,?)',
    'INSERT INTO person (user_id, seed) VALUES (?,?) ON CONFLICT (user_id) DO UPDATE SET seed=excluded.seed',
    'SELECT «own row» FROM chunk WHERE user_id=? AND (n=? OR n IS NULL)',
  ])('names the user: %s', text => {
    expect(tablesOfAnyUser(text)).toEqual([])
  })

  it.each([
    ['SELECT * FROM outbox WHERE team_id=?', ['outbox']],
    ['SELECT * FROM outbox WHERE user_id=? OR team_id=?', ['outbox']],
    ['SELECT * FROM outbox WHERE (user_id, sequence)>(?,?)', ['outbox']],
    ['UPDATE user SET user_id=? WHERE team_id=?', ['user']],
    ['DELETE FROM job WHERE user_id IN (SELECT user_id FROM "user" WHERE team_id=?)', ['user']],
    ['SELECT 1 FROM user JOIN job ON job.user_id=user.user_id WHERE team_id=?', ['user', 'job']],
    ['SELECT 1 FROM series WHERE user_id=? UNION ALL SELECT 1 FROM series', ['series']],
    ['INSERT INTO person (seed) VALUES (?)', ['person']],
  ])('does not name the user: %s', (text, tables) => {
    expect(tablesOfAnyUser(text)).toEqual(tables)
  })
})

describe('a statement for one database only', () => {
  it.each([
    'SELECT 1 FROM user INDEXED BY user_by_id',
    "SELECT json_extract(document, '$.a') FROM lab_order",
    'SELECT rowid FROM user',
    'INSERT OR IGNORE INTO setting VALUES (?)',
    'SELECT max(a, (b)) FROM team',
    'SELECT 1 FROM team WHERE team_id=?1',
    'SELECT 1 FROM team WHERE +team_id=?',
    'SELECT 1 FROM sqlite_schema',
  ])('is found: %s', text => {
    expect(ofOneDatabase(text)).not.toEqual([])
  })

  it('is not confused with one that all databases understand', () => {
    expect(ofOneDatabase('SELECT max(at) AS last, count(*) AS n FROM audit WHERE (a, b) > (?,?)')).toEqual([])
  })
})
