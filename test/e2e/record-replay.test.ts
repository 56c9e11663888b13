import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { until } from '../kit/until.ts'

const sandbox = new InProcessSandbox()

/** Records until `stop` is called, which returns the output. */
async function recorder(file: string): Promise<{ stop(): Promise<{ status: number | null; stdout: string }> }> {
  const { ended, stderr, stop } = sandbox.start(['engine', 'record', file, '--json'])
  await until(() => stderr().includes('Recording'), { why: stderr })
  return {
    async stop() {
      await stop('SIGINT')
      return ended
    },
  }
}

it('records the changes of other processes until Ctrl-C, and replays them to the same bytes', async () => {
  await sandbox.json(['engine', 'clock', 'freeze', '2026-11-20T08:30:00Z'])
  const recording = await recorder('session.ndjson')
  const { user_id } = await sandbox.json<{ user_id: string }>(['user', 'create', 'ada'])
  const line = { resource: 'steps', timestamp: '2026-11-19T10:00:00Z', value: 7, provider: 'oura', source_type: 'ring' }
  writeFileSync(path.join(sandbox.folder, 'steps.ndjson'), `${JSON.stringify(line)}\n`)
  await sandbox.json(['import', 'steps.ndjson', '--user', 'ada'])
  await sandbox.json(['engine', 'clock', 'advance', '1h'])
  const { status, stdout } = await recording.stop()
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ file: 'session.ndjson', entries: 3 })

  const env = { SVC_DATA_DIR: path.join(sandbox.folder, 'again') }
  const report = await sandbox.json(['engine', 'replay', 'session.ndjson'], { env })
  expect(report).toMatchObject({ calls: 3, users: 1, clock: '2026-11-20T09:30:00+00:00', complete: true })
  for (const [folder, options] of [
    ['original', {}],
    ['copy', { env }],
  ] as const) {
    await sandbox.json(['user', 'export', user_id, '-o', folder], options)
  }
  const exported = (folder: string): string => readFileSync(path.join(sandbox.folder, folder, 'data.ndjson'), 'utf8')
  expect(exported('copy')).toBe(exported('original'))
  const events = ['event', 'list', '--payload']
  expect((await sandbox.json<{ data: unknown }>(events, { env })).data).toEqual(
    (await sandbox.json<{ data: unknown }>(events)).data,
  )
})

it('leaves an empty folder empty if the recording is damaged', async () => {
  const text = readFileSync(path.join(sandbox.folder, 'session.ndjson'), 'utf8')
  const env = { SVC_DATA_DIR: path.join(sandbox.folder, 'third') }
  const run = await sandbox.run(['engine', 'replay', '-'], { env, input: text.slice(0, -40) })
  expect(run).toMatchObject({ status: 2, stdout: '' })
  expect(run.stderr).toMatch(/Line \d+ of the recording is damaged\. Nothing was changed/)
  expect(await sandbox.json(['user', 'list'], { env })).toMatchObject({ total: 0 })
})
