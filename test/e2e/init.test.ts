/** `svc init`: the first five minutes, without a terminal, on one, interrupted, and again. */
import { describe, expect, it } from 'vitest'
import { Sandbox } from '../kit/sandbox.ts'
import { Terminal } from '../kit/terminal.ts'

interface Report {
  readonly steps: readonly { step: string; status: string; command: string }[]
}

const statuses = (report: Report) => report.steps.map(({ status }) => status)

describe('svc init', () => {
  it('runs every step without a terminal, shows each command, and repeats nothing the second time', async () => {
    const sandbox = new Sandbox()
    const run = await sandbox.run(['init'])
    expect(run.status).toBe(0)
    const report: Report = JSON.parse(run.stdout)
    expect(statuses(report)).toEqual(['done', 'done', 'done', 'done'])
    for (const { command } of report.steps) expect(run.stderr).toContain(`$ ${command}`)
    expect(await sandbox.json(['provider', 'list', '--user', 'demo'])).toMatchObject({ providers: [{ slug: 'oura' }] })
    expect(statuses(await sandbox.json(['init']))).toEqual(Array(4).fill('done before'))
    expect(await sandbox.json(['user', 'list'])).toMatchObject({ total: 1 })
  })

  it('continues where it stopped', async () => {
    const sandbox = new Sandbox()
    await sandbox.json(['user', 'create', 'ada'])
    expect(statuses(await sandbox.json(['init', '--user', 'ada', '--provider', 'fitbit']))).toEqual([
      'done before',
      'done',
      'done',
      'done',
    ])
  })

  it('asks on a terminal, where Enter runs a step, n skips it, and Ctrl-C ends it at once', async () => {
    const sandbox = new Sandbox()
    const first = new Terminal(sandbox, ['init'])
    await first.sees(/1 of 4: Create a user/)
    await first.sees(/svc user create demo/)
    await first.sees(/Run it\?/)
    first.types('\r')
    await first.sees(/2 of 4/)
    await first.sees(/Run it\?/)
    first.types('\x03')
    expect(await first.ended()).toBe(130)
    expect(await sandbox.json(['user', 'list'])).toMatchObject({ total: 1 })
    expect(await sandbox.json(['provider', 'list', '--user', 'demo'])).toMatchObject({ providers: [] })

    const second = new Terminal(sandbox, ['init'])
    await second.sees(/Done before/)
    await second.sees(/Run it\?/)
    second.types('n')
    await second.sees(/Skipped/)
    await second.sees(/3 of 4/)
    await second.sees(/Run it\?/)
    second.types('\x03')
    expect(await second.ended()).toBe(130)
  })

  it('stops at a step that fails, with the reason and a remedy', async () => {
    const sandbox = new Sandbox()
    const run = await sandbox.run(['init', '--user', 'ada', '--base-url', 'http://127.0.0.1:9'], {
      env: { SVC_API_KEY: 'sk_us_x' },
    })
    expect(run.status).toBe(7)
    expect(run.stdout).toBe('')
  })
})
