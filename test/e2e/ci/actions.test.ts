/** The actions setup-svc and stop-svc: their steps run as a runner runs them, and in the plain shell of the guide. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { binary, root } from '../../kit/sandbox.ts'

interface Step {
  readonly status: number | null
  readonly output: string
}

/** Runs a shell command. Nothing of this process's environment but the PATH is passed on. */
async function shell(command: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Step> {
  const paths = { PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`, HOME: cwd }
  const child = spawn('sh', ['-c', command], { cwd, env: { ...paths, SVC_CONFIG_DIR: `${cwd}/config`, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (output += text))
  // ends only when nothing holds the output open any more, as a runner's step does
  const [status] = await once(child, 'close')
  return { status, output }
}

/** A job on a runner: its folder and its files for outputs. */
class Job {
  readonly folder = temporaryFolder()

  constructor() {
    // stands for the executable: it runs the program of this repository
    writeFileSync(this.file('svc'), `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`)
    chmodSync(this.file('svc'), 0o755)
    atEndOfFile(() => this.kill())
  }

  file(name: string): string {
    return path.join(this.folder, name)
  }

  read(name: string): string {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), 'utf8') : ''
  }

  /** Runs the step of an action with inputs. */
  step(action: string, inputs: Readonly<Record<string, string>> = {}): Promise<Step> {
    const folder = path.join(root, '.github', 'actions', action)
    const text = readFileSync(path.join(folder, 'action.yml'), 'utf8')
    const command = /^ +run: (.*)$/m.exec(text)?.[1] as string
    const given = [...text.matchAll(/^ +(\w+): \$\{\{ inputs\.([\w-]+) \}\}$/gm)].map(([, name, input]) => {
      const standard = new RegExp(`^ {2}${input}:\\n.*\\n {4}default: '(.*)'$`, 'm').exec(text)?.[1] ?? ''
      return [name, inputs[input as string] ?? standard]
    })
    return shell(command, this.folder, {
      ...Object.fromEntries(given),
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: folder,
      GITHUB_OUTPUT: this.file('output'),
      GITHUB_ENV: this.file('env'),
      GITHUB_PATH: this.file('path'),
      RUNNER_TEMP: this.folder,
      SETUP_SVC_RELEASES: inputs['releases'] ?? 'http://127.0.0.1:9',
    })
  }

  private kill(): void {
    const pid = this.read('setup-svc/serve.pid').trim()
    try {
      if (pid !== '') process.kill(Number(pid), 'SIGKILL')
    } catch {
      // it has ended
    }
  }
}

const KEY = 'x-service-api-key'

describe('setup-svc', () => {
  it('leaves a server with the data of the seed file, whose URL and masked key are outputs', async () => {
    const job = new Job()
    writeFileSync(job.file('seed.sh'), 'svc user create ada\n')
    const inputs = { path: './svc', clock: '2026-11-20T08:30:00Z', 'seed-file': 'seed.sh' }
    const started = await job.step('setup-svc', inputs)
    expect(started.status, started.output).toBe(0)
    const [, url = '', key = ''] = /^url=(.*)\napi-key=(.*)\n$/.exec(job.read('output')) ?? []
    expect(started.output.split(key)).toEqual(['::add-mask::', expect.stringContaining(`listens on ${url}`)])
    const users = await fetch(`${url}/v2/user`, { headers: { [KEY]: key } })
    expect(await users.json()).toMatchObject({
      users: [{ client_user_id: 'ada', created_on: '2026-11-20T08:30:00+00:00' }],
    })
    // what later steps use
    const [, dataDir = ''] = /^SVC_DATA_DIR=(.*)\n$/.exec(job.read('env')) ?? []
    const list = `PATH="${job.read('path').trim()}:$PATH" svc user list --json`
    expect((await shell(list, job.folder, { SVC_DATA_DIR: dataDir })).output).toContain('ada')

    const again = await job.step('setup-svc', inputs)
    expect(again).toMatchObject({ status: 1, output: expect.stringMatching(/^::error title=svc::.* already runs in /) })

    const stopped = await job.step('stop-svc')
    expect(stopped).toMatchObject({ status: 0, output: expect.stringContaining('has stopped') })
    await expect(fetch(url)).rejects.toThrow()
    expect(existsSync(job.file('setup-svc/serve.json'))).toBe(false)
    expect(job.read('setup-svc/serve.log')).toContain('GET /v2/user 200')
    expect(job.read('setup-svc/serve.log')).not.toContain(key)
    expect(await job.step('stop-svc')).toMatchObject({
      status: 0,
      output: expect.stringContaining('No svc serve runs in'),
    })
  })

  it('fails with the log if the port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { status, output } = await new Job().step('setup-svc', { path: './svc', port: `${port}` })
    server.close()
    expect(status).toBe(1)
    expect(output).toContain('port_in_use')
    expect(output).toContain(`::error title=svc::svc serve did not start on port ${port}.`)
  })

  it('fails with the log if the seed file or the clock is wrong', async () => {
    const job = new Job()
    writeFileSync(job.file('seed.sh'), 'svc user create ada\nsvc user create ada\n')
    const seed = await job.step('setup-svc', { path: './svc', 'seed-file': 'seed.sh' })
    expect(seed).toMatchObject({
      status: 1,
      output: expect.stringMatching(/ada[\s\S]*::error title=svc::The seed file/),
    })
    const missing = await job.step('setup-svc', { path: './svc', 'seed-file': 'none.sh' })
    expect(missing).toMatchObject({ status: 1, output: expect.stringContaining('none.sh does not exist') })
    const clock = await job.step('setup-svc', { path: './svc', clock: 'soon' })
    expect(clock).toMatchObject({
      status: 1,
      output: expect.stringContaining('::error title=svc::The clock could not be set to soon.'),
    })
  })

  it('fails if the version or the path is wrong', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const releases = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const version = await new Job().step('setup-svc', { version: '9.9.9', releases })
    server.close()
    expect(version).toMatchObject({
      status: 1,
      output: expect.stringContaining(`svc 9.9.9 could not be downloaded from ${releases}/v9.9.9/svc-9.9.9.tgz`),
    })
    expect(version.output).toContain('404')
    for (const [inputs, message] of [
      [{ version: '1.0.0', path: './svc' }, 'Set either a version or a path, not both.'],
      [{ path: './none.tgz' }, 'The package ./none.tgz does not exist.'],
      [{ path: './output' }, './output is not a package (.tgz), and not a file that can be executed.'],
    ] as const) {
      const { status, output } = await new Job().step('setup-svc', inputs)
      expect(status).toBe(1)
      expect(output).toContain(`::error title=svc::${message}`)
    }
  })
})

describe('stop-svc', () => {
  it('fails where setup-svc has not run', async () => {
    expect(await new Job().step('stop-svc')).toMatchObject({
      status: 1,
      output: expect.stringContaining('::error title=svc::There is no folder'),
    })
  })

  it('fails with the log if the server has ended before', async () => {
    const job = new Job()
    await job.step('setup-svc', { path: './svc' })
    process.kill(Number(job.read('setup-svc/serve.pid')), 'SIGKILL')
    const stopped = await job.step('stop-svc')
    expect(stopped).toMatchObject({ status: 1, output: expect.stringContaining('ended before it was stopped') })
  })
})

describe('the guide', () => {
  const page = readFileSync(path.join(root, 'docs', 'testing-your-app.md'), 'utf8')
  const [, script = ''] = /^```bash\n([\s\S]*?)^```/m.exec(page) ?? []
  const install = 'npm install --no-save ./svc-0.1.0.tgz\n'

  it('has a script for a plain shell that runs as printed, from an installed package', async () => {
    const job = new Job()
    expect(script).toContain(install)
    // the package, as npm installs it
    mkdirSync(job.file('node_modules/.bin'), { recursive: true })
    symlinkSync(root, job.file('node_modules/svc'))
    symlinkSync(job.file('svc'), job.file('node_modules/.bin/svc'))
    writeFileSync(job.file('seed.sh'), 'svc user create ada\n')
    const { status, output } = await shell(script.replace(install, ''), job.folder, {})
    expect(status, output).toBe(0)
    expect(output).toMatch(/"client_user_id":"ada"[\s\S]*has stopped/)
  })

  it('uses the inputs that the actions have, and the same scripts on GitLab', () => {
    const action = readFileSync(path.join(root, '.github/actions/setup-svc/action.yml'), 'utf8')
    const [github = '', gitlab = ''] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(match => match[1])
    const [, used = ''] = /setup-svc@\S+\n +with:\n((?: +[\w-]+: .*\n)+)/.exec(github) ?? []
    const names = [...used.matchAll(/^ +([\w-]+):/gm)].map(match => match[1])
    expect(names.length).toBeGreaterThan(1)
    for (const name of names) expect(action).toMatch(new RegExp(`^ {2}${name}:$`, 'm'))
    for (const name of ['setup-svc.sh', 'stop-svc.sh']) {
      const line = script.split('\n').find(each => each.includes(name)) ?? ''
      expect(gitlab).toContain(/sh node_modules[\w/.-]+/.exec(line)?.[0])
    }
  })
})
