/** Measures how long a user look-up on `svc serve` takes while another process imports a large export into the same folder. */
import { spawn, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { root } from '../bundle.mjs'
import { percentile } from '../figures.mjs'
import { freshFolder } from './samples-store.mjs'

const svc = join(root, 'bin', 'run.js')
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

export function environment(folder) {
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
  return {
    ...inherited,
    SVC_DATA_DIR: join(folder, 'data'),
    SVC_CONFIG_DIR: folder,
    SVC_CACHE_DIR: join(folder, 'cache'),
  }
}

export async function started(env) {
  const server = spawn(process.execPath, [svc, 'serve', '--port', '0', '--json', '--quiet'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise((resolve, reject) => {
    server.stdout.once('data', data => resolve(data.toString('utf8')))
    server.once('exit', code => reject(new Error(`the server ended with ${code}`)))
  })
  return { server, ...JSON.parse(line) }
}

/** Returns the milliseconds of one look-up over a connection that stays open. */
function lookUp(url, key) {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'x-service-api-key': key } }, response => {
      response.resume()
      response.once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - began)
        else reject(new Error(`the look-up answered ${response.statusCode}`))
      })
    }).once('error', reject)
  })
}

export async function lookUps(url, key, until) {
  const times = []
  while (!until.done) {
    times.push(await lookUp(url, key))
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  return times
}

export async function benchServe(_engine, figures, { records }) {
  const folder = freshFolder()
  const env = environment(folder)
  const file = join(folder, 'export.xml')
  const generator = join(root, 'test', 'bench', 'apple', 'apple-export.mjs')
  const made = spawnSync(process.execPath, [generator, '--records', `${records}`, '--seed', '1', '--out', file], {
    env,
  })
  if (made.status !== 0) throw new Error(`the generator ended with ${made.status}: ${made.stderr}`)
  const user = spawnSync(process.execPath, [svc, 'user', 'create', 'bench', '--json'], { env, encoding: 'utf8' })
  const { user_id } = JSON.parse(user.stdout)
  const { server, url, api_key } = await started(env)
  try {
    const target = `${url}/v2/user/${user_id}`
    const idle = { done: false }
    setTimeout(() => {
      idle.done = true
    }, 3000)
    const before = await lookUps(target, api_key, idle)
    const importing = { done: false }
    const child = spawn(process.execPath, [svc, 'import', file, '--user', 'bench', '--json', '--quiet'], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = new Promise(resolve =>
      child.once('close', code => {
        importing.done = true
        resolve(code)
      }),
    )
    const during = await lookUps(target, api_key, importing)
    if ((await ended) !== 0) throw new Error('the import failed')
    const ms = share => percentile(during, share).toFixed(1)
    const what = `a user look-up on svc serve while ${records / 1e6} M records are imported by another process`
    figures.add(`${what}, p99 of ${during.length}`, `${ms(0.99)} ms`, '≤ 50 ms', percentile(during, 0.99) <= 50)
    figures.add(
      `  p50 ${ms(0.5)}, longest ${ms(1)}; with nothing else running p99`,
      `${percentile(before, 0.99).toFixed(1)} ms`,
    )
  } finally {
    server.kill('SIGTERM')
    await new Promise(resolve => server.once('close', resolve))
    agent.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
}
