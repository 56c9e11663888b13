/** `ls` and `rm`: the short names for `list`, `delete` and `remove` in every topic. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { root } from '../kit/sandbox.ts'

const { commands } = JSON.parse(readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8')) as {
  readonly commands: Readonly<Record<string, { readonly id: string; readonly aliases: readonly string[] }>>
}
const sandbox = new InProcessSandbox()

describe('short command names', () => {
  it('exist for every command that lists, deletes or removes, and clash with no other command', () => {
    const long = Object.values(commands).filter(({ id }) => /:(?:list|delete|remove)$/.test(id))
    expect(long.length).toBeGreaterThan(15)
    for (const { id, aliases } of long) {
      expect(aliases).toEqual([id.replace(/list$/, 'ls').replace(/delete$|remove$/, 'rm')])
    }
    const all = Object.values(commands).flatMap(({ aliases }) => aliases)
    expect(new Set([...all, ...Object.keys(commands)]).size).toBe(all.length + Object.keys(commands).length)
  })

  it('do the same as the long ones', async () => {
    await sandbox.json(['user', 'create', 'ada'])
    expect(await sandbox.json(['user', 'ls'])).toEqual(await sandbox.json(['user', 'list']))
    expect((await sandbox.run(['user', 'rm', 'ada', '--yes'])).status).toBe(0)
    expect(await sandbox.json(['user', 'list'])).toMatchObject({ total: 0 })
    await sandbox.json(['profile', 'add', 'staging', '--base-url', 'http://127.0.0.1:9'])
    expect(await sandbox.json(['profile', 'rm', 'staging'])).toMatchObject({ name: 'staging' })
  })

  it('appear in the help of their command and of their topic', async () => {
    expect((await sandbox.run(['user', 'list', '--help'])).stdout).toMatch(/ALIASES\n +\$ svc user ls/)
    expect((await sandbox.run(['engine', 'snapshot', '--help'])).stdout).toMatch(/engine snapshot rm +Delete/)
  })

  it('have messages with the full command name', async () => {
    const run = await sandbox.run(['user', 'ls', '--lmit', '3'])
    expect(run.status).toBe(2)
    expect(run.stderr).toContain('Did you mean --limit?')
  })
})
