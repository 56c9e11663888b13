/** Skips tests that a run over PostgreSQL or Citus leaves out, and records the reason, which scripts/test.mjs counts. */
import path from 'node:path'
import { type RunnerTask, type RunnerTestFile, TestRunner } from 'vitest'
import { IS_ON_CITUS } from './maintenance.ts'
import { NOT_ON_CITUS, SQLITE_ONLY } from './sqlite-only.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test does not run over this store. */
    whySkipped?: string
  }
}

const SKIPPED = IS_ON_CITUS ? [...SQLITE_ONLY, ...NOT_ON_CITUS] : SQLITE_ONLY
const TESTS = path.join(import.meta.dirname, '..', '..')

export default class SkippingRunner extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    for (const file of files) skipUnsuitable(file)
  }
}

function skipUnsuitable(file: RunnerTestFile): void {
  const name = path.relative(TESTS, file.filepath)
  for (const { reason, files, tests } of SKIPPED) {
    if (files?.includes(name)) skip(file, reason)
    for (const title of tests?.[name] ?? []) {
      const found = withTitle(file, title)
      if (found.length === 0) throw new Error(`${name} has no "${title}", which sqlite-only.ts lists`)
      for (const task of found) skip(task, reason)
    }
  }
  withoutIdleHooks(file)
}

/** Returns the tests and suites whose title begins with this. */
function withTitle(task: RunnerTask, title: string): RunnerTask[] {
  if (task.type === 'test') return task.name.startsWith(title) ? [task] : []
  return task.tasks.flatMap(each => (each.name.startsWith(title) ? [each] : withTitle(each, title)))
}

function skip(task: RunnerTask, reason: string): void {
  if (task.type === 'suite') for (const each of task.tasks) skip(each, reason)
  else {
    task.mode = 'skip'
    task.result = { state: 'skip' }
    task.meta.whySkipped = reason
  }
}

/**
 * Removes the hooks of each suite that runs nothing, and returns whether it runs nothing. Skipping the suite itself is not enough: its
 * tests were already announced, and only a test that is reached reports that it was skipped.
 */
function withoutIdleHooks(task: RunnerTask): boolean {
  if (task.type === 'test') return task.mode === 'skip'
  const isIdle = task.tasks.map(withoutIdleHooks).every(Boolean)
  if (isIdle) Object.assign(TestRunner.getSuiteHooks(task), { beforeAll: [], afterAll: [] })
  return isIdle
}
