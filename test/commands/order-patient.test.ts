/** `svc user set-info`, `svc order create` and `svc order result`: their messages when something does not exist yet. */
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'

const sandbox = new InProcessSandbox()
const INFO = [
  ...['--first-name', 'Łucja', '--last-name', 'Weiß', '--email', 'ada@example.test', '--phone-number', '4155550100'],
  ...['--gender', 'female', '--dob', '1990-01-01', '--first-line', '1 Any Street', '--city', 'Anytown'],
  ...['--state', 'CA', '--zip', '94100', '--country', 'US'],
]
const ORDER = ['--lab-test', 'essential-health']

beforeAll(() => sandbox.json(['user', 'create', 'ada']))

async function refused(...args: readonly string[]): Promise<string> {
  const run = await sandbox.run([...args])
  expect(run.status).not.toBe(0)
  expect(run.stdout).toBe('')
  return run.stderr
}

describe('profile info', () => {
  test('that is incomplete is refused with every missing flag at once', async () => {
    const flags = INFO.filter((_, i) => i % 2 === 0)
    const message = await refused('user', 'set-info', 'ada')
    for (const flag of flags) expect(message).toContain(flag)
    expect(await refused('user', 'set-info', 'ada', ...INFO.slice(4))).toBe(
      'Error: --first-name and --last-name are missing\n',
    )
  })
})

describe('an order', () => {
  test('of a user without profile info is refused with the command and the flags that set it', async () => {
    const message = await refused('order', 'create', 'ada', ...ORDER)
    expect(message).toContain('svc user set-info USER')
    for (const flag of INFO.filter((_, i) => i % 2 === 0)) expect(message).toContain(flag)
  })

  test('without results yet reports its status, and once cancelled says that there will be none', async () => {
    await sandbox.json(['user', 'set-info', 'ada', ...INFO])
    const { order } = await sandbox.json<{ order: { id: string } }>(['order', 'create', 'ada', ...ORDER])
    const status = 'received.walk_in_test.requisition_created'
    expect(await refused('order', 'result', order.id)).toContain(`no results yet. Its status is ${status}.`)
    await sandbox.json(['order', 'cancel', order.id])
    expect(await refused('order', 'result', order.id)).toMatch(/no results\. Its status is cancelled\./)
  })
})

describe('markers', () => {
  test('can be searched with an argument, which means --name', async () => {
    const byArgument = await sandbox.json(['labs', 'markers', 'vitamin'])
    expect(byArgument).toEqual(await sandbox.json(['labs', 'markers', '--name', 'vitamin']))
    expect(byArgument).toMatchObject({ total: 15 })
    expect(await refused('labs', 'markers', 'vitamin', '--name', 'iron')).toContain(
      'NAME and --name cannot be used together',
    )
  })
})
