/** Copies of a store that are killed, and then continue. */
import { expect, it } from 'vitest'
import { Sandbox } from '../../kit/sandbox.ts'
import { copied, differences, filledFolder, newFolder, reachedBy, rowsOfFolder } from './stores.ts'

it('continues after the process was killed at any place', async () => {
  const sandbox = new Sandbox()
  const source = await filledFolder()
  // this process never opens it: reading the files of a database ends the locks that a process holds
  let to = ''
  const args = () => ['engine', 'copy', '--from', source, '--to', to, '--json']
  const isKilledAt = async (place: number): Promise<boolean> => {
    const running = sandbox.start(args(), { input: '' })
    while (reachedBy(to) < place && running.child.exitCode === null)
      await new Promise(resolve => setTimeout(resolve, 1))
    return (await running.stop('SIGKILL')) === null
  }
  const isKilledAtAll = async (): Promise<boolean> => {
    to = newFolder()
    for (const place of [2, 9, 14]) if (!(await isKilledAt(place))) return false
    return true
  }
  // on a busy machine, a copy may end before it is killed
  let isKilled = await isKilledAtAll()
  for (let tries = 1; tries < 10 && !isKilled; tries++) isKilled = await isKilledAtAll()
  expect(isKilled).toBe(true)
  const run = await sandbox.start(args(), { input: '' }).ended
  expect(run).toMatchObject({ status: 0 })
  expect(JSON.parse(run.stdout)).toMatchObject({ continued: true })
  expect(differences(copied(rowsOfFolder(to)), copied(rowsOfFolder(source)))).toEqual([])
})
