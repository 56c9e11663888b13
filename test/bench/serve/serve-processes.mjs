/** The three processes to compare: `svc serve`, Prism mocking its OpenAPI document, and a bare Fastify. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { root } from '../bundle.mjs'

const prism = join(root, 'node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js')
const bare = join(root, 'test', 'bench', 'serve', 'serve-bare.mjs')

function environment(folder) {
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
  return {
    ...inherited,
    NODE_ENV: 'production',
    SVC_DATA_DIR: join(folder, 'data'),
    SVC_CONFIG_DIR: folder,
    SVC_CACHE_DIR: join(folder, 'cache'),
  }
}

/** Returns `{ child, url, end }`; `line` is the JSON line that the process prints when it is ready. */
async function spawned(args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', data => resolve(data.toString('utf8')))
    child.once('exit', code => reject(new Error(`${args[0]} ended with ${code}`)))
  })
  return { child, line, end: () => ended(child) }
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  await exit
}

/** Starts our server, of this or another working tree, without the rate limit per key, because the limit is not being measured. */
export async function serveOurs(folder, tree = root) {
  const args = [join(tree, 'bin', 'run.js'), 'serve', '--port', '0', '--json', '--quiet', '--rate-limit', '0']
  const { child, line, end } = await spawned(args, environment(folder))
  const { url, api_key } = JSON.parse(line)
  return { child, url, apiKey: api_key, end }
}

export async function serveBare(folder, routes) {
  const file = join(folder, 'bytes.json')
  writeFileSync(file, JSON.stringify(routes))
  const { child, line, end } = await spawned([bare, file], environment(folder))
  return { child, ...JSON.parse(line), end }
}

export async function serveMock(folder, document) {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const args = [prism, 'mock', file, '--port', `${port}`, '--host', '127.0.0.1', '--verboseLevel', 'silent']
  const child = spawn(process.execPath, args, { env: environment(folder), stdio: ['ignore', 'ignore', 'inherit'] })
  await isResponding(url, child)
  return { child, url, end: () => ended(child) }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

const START_MS = 60_000

async function isResponding(url, child) {
  const giveUp = performance.now() + START_MS
  while (performance.now() < giveUp) {
    if (child.exitCode !== null) throw new Error(`the mock ended with ${child.exitCode}`)
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    )
    if (isThere) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error('the mock did not start')
}
