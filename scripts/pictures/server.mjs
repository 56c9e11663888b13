/** A server with the same people, orders, events and endpoints at each start, for pictures of the console. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const svc = path.join(root, 'bin', 'run.js')
const samples = path.join(root, 'test', 'fixtures', 'samples')

/** Time of the pictures by the engine's clock. */
export const NOW = '2026-11-20T12:00:00Z'
/** The port of the application that receives the webhooks. It is in the pictures, so it is the same each time. */
const HOOKS_PORT = 3000

const QUERY = { select: ['mean(heartrate.value)', 'max(heartrate.value)'], group: '1d' }
const PATIENT = [
  ...['--first-name', 'Ada', '--last-name', 'Lovelace', '--gender', 'female', '--dob', '1990-12-10'],
  ...['--email', 'ada@example.com', '--phone-number', '+1 555 010 0001'],
  ...['--first-line', '1 Main Street', '--city', 'Boston', '--state', 'MA', '--zip', '02110', '--country', 'US'],
]

/** Returns `{ url, apiKey, ids, end }`; `ids` has the IDs of the items on the pictured pages. Throws if a step fails. */
export async function pictureServer() {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-pictures-'))
  const env = environment(folder)
  const hooks = await startHooks()
  const closeAll = async child => {
    if (child !== undefined && child.exitCode === null) {
      const exit = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGTERM')
      await exit
    }
    hooks.close()
    rmSync(folder, { recursive: true, force: true })
  }
  let child
  try {
    const run = (...args) => runSvc(env, args)
    const key = fill(run, folder)
    const args = [svc, 'serve', '--port', '0', '--json', '--quiet']
    child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const line = await new Promise((resolve, reject) => {
      child.stdout.once('data', data => resolve(data.toString('utf8')))
      child.once('exit', code => reject(new Error(`svc serve ended with ${code}`)))
    })
    const { url } = JSON.parse(line)
    const ids = act(run)
    return { url, apiKey: key, ids, end: () => closeAll(child) }
  } catch (error) {
    await closeAll(child)
    throw error
  }
}

/** Creates the data before the server starts. Returns an API key whose name does not contain the name of this machine. */
function fill(run, folder) {
  run('engine', 'clock', 'freeze', NOW)
  run('engine', 'seed', '--people', '12', '--days', '30', '--seed', '42')
  run('user', 'create', 'ada', '--fallback-time-zone', 'America/New_York', '--fallback-birth-date', '1990-12-10')
  run('user', 'set-info', 'ada', ...PATIENT)
  for (const provider of ['oura', 'fitbit']) run('link', 'demo', 'ada', provider)
  run('import', path.join(samples, 'cgm', 'dexcom-clarity.csv'), '--user', 'ada')
  addSecondSource(run, folder)
  const order = run('order', 'create', 'ada', '--lab-test', 'essential-health')
  run('order', 'simulate', order.order?.id ?? order.id, '--interpretation', 'critical')
  run('order', 'create', 'ada', '--lab-test', 'essential-health')
  const select = QUERY.select.flatMap(each => ['--select', each])
  const title = 'Heart rate by day'
  run(
    'aggregate',
    'watch',
    'create',
    'heart-rate',
    ...select,
    '--group-by',
    QUERY.group,
    '--no-events',
    '--title',
    title,
  )
  run('engine', 'snapshot', 'save', 'seeded')
  run('webhook', 'create', `http://localhost:${HOOKS_PORT}/hooks`, '--event-type', '*')
  run('webhook', 'create', `http://localhost:${HOOKS_PORT}/broken`, '--event-type', 'provider.*')
  return run('engine', 'key', 'create', 'local', '--operator', '--label', 'documentation').api_key
}

/** Gives a person with a ring the heart rate of a watch as well, so that charts and `explain` have two sources to compare. */
function addSecondSource(run, folder) {
  const rows = ['start,value']
  for (let i = 3 * 288; i > 0; i--) {
    const start = new Date(Date.parse(NOW) - i * 300_000).toISOString()
    rows.push(`${start},${(68 + 14 * Math.sin(i / 40) + ((i * 7919) % 9)).toFixed(0)}`)
  }
  const file = path.join(folder, 'watch.csv')
  writeFileSync(file, rows.join('\n'))
  const source = ['--provider', 'apple_health_kit', '--source-type', 'watch', '--resource', 'heartrate']
  run('import', file, '--user', 'person-001', ...source, '--map', 'start=start', '--map', 'value=value')
}

/** Triggers events while the server delivers. */
function act(run) {
  run('user', 'create', 'grace')
  run('link', 'demo', 'grace', 'oura')
  run('engine', 'fault', 'add', 'POST /v2/link/*=503:0.2')
  const { users } = run('user', 'list')
  const idOf = name => users.find(each => each.client_user_id === name)?.user_id
  const { data: events } = run('event', 'list', '--type', 'provider.connection.created', '--order', 'desc')
  const { endpoints } = run('webhook', 'list')
  const { orders } = run('order', 'list', '--user', 'ada')
  return {
    user: idOf('ada'),
    sleeper: idOf('person-001'),
    sensor: idOf('person-003'),
    event: events[0].event_id,
    endpoint: endpoints[0].endpoint_id,
    order: orders.find(each => each.status === 'completed')?.id ?? orders[0].id,
  }
}

function environment(folder) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  return {
    ...Object.fromEntries(inherited),
    TZ: 'UTC',
    SVC_DATA_DIR: path.join(folder, 'data'),
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_CACHE_DIR: path.join(folder, 'cache'),
  }
}

function runSvc(env, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [svc, ...args, '--json', '--no-input'], {
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`svc ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout === '' ? null : JSON.parse(stdout)
}

/** Accepts webhooks at /hooks and refuses all others, so that there are attempts of both kinds. */
function startHooks() {
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      const isAccepted = request.url === '/hooks'
      response.writeHead(isAccepted ? 200 : 500, { 'content-type': 'application/json' })
      response.end(isAccepted ? '{"received":true}' : '{"error":"The database is not reachable."}')
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(HOOKS_PORT, 'localhost', () => resolve(server))
  })
}
