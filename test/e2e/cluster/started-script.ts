/** A script that starts processes, shows where they are, and stops them after Ctrl-C. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { root } from '../../kit/sandbox.ts'
import { until, within } from '../../kit/until.ts'

/** Runs a script that starts nothing, and returns its exit code and its message. */
export function refusedBy(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  expect(stdout).toBe('')
  return { status, stderr }
}

/** Starts the script, and returns the values that it prints, by name. */
export async function startScript(script: string, args: readonly string[]) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [script, ...args], { cwd: root })
  const ended = once(child, 'close')
  atEndOfFile(async () => {
    child.kill('SIGINT')
    await ended
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', text => {
    stdout += text
  })
  child.stderr.on('data', text => {
    stderr += text
  })
  await until(() => /^Stop /m.test(stdout), { mostMs: 60_000, why: () => `the cluster does not start: ${stderr}` })
  const facts = Object.fromEntries(
    [...stdout.matchAll(/^(\S+(?: \S+)?) +(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  return {
    facts: facts as Readonly<Record<string, string>>,
    stderr: () => stderr,
    async stop() {
      child.kill('SIGINT')
      return within(ended, () => `the cluster does not end: ${stderr}`, 45_000)
    },
  }
}
