/** Puts a long mixed load on `svc serve`, with reads, pages, aggregates and writes at once, and tracks the server's memory. */
import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import { median } from '../figures.mjs'

const SAMPLE_MS = 2_000
/** Share of the time in which caches and the runtime's pools fill. */
const WARM_UP_SHARE = 0.15
const MOST_DRIFT = 0.1

/** Returns the resident memory of a process in MB; undefined on systems that have no file for it. */
function residentMb(pid) {
  try {
    const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+) kB$/m)
    return line ? Number(line[1]) / 1024 : undefined
  } catch {
    return undefined
  }
}

/** Returns the requests of the mix. autocannon cycles through them on each connection. */
function mix({ url, apiKey, userId, page, body }) {
  const headers = { 'x-service-api-key': apiKey }
  const json = { ...headers, 'content-type': 'application/json' }
  const get = path => ({ method: 'GET', path, headers })
  const user = get(`/v2/user/${userId}`)
  let written = 0
  return {
    url,
    requests: [
      user,
      get(page),
      user,
      get(`/v2/user/providers/${userId}`),
      get('/v2/user?limit=10'),
      get(page),
      get(`/v2/summary/sleep/${userId}?start_date=2026-11-01`),
      get('/v3/lab_tests/markers?size=20'),
      get('/v2/user/00000000-0000-4000-8000-000000000000'),
      { method: 'POST', path: `/aggregate/v1/user/${userId}/query`, headers: json, body: JSON.stringify(body) },
      {
        method: 'POST',
        path: `/svc/v1/users/${userId}/samples`,
        headers: json,
        setupRequest(request) {
          // values change and times stay within a day, so that the store does not grow
          const timestamp = new Date(Date.parse('2026-11-18T00:00:00Z') + (written++ % 1440) * 60_000).toISOString()
          const sample = { resource: 'heartrate', timestamp, value: 60 + (written % 40) }
          return { ...request, body: JSON.stringify([sample]) }
        },
      },
    ],
  }
}

/** Adds the number of requests and errors, the slowest responses and the drift in memory. */
export async function benchLoad(figures, target, { seconds, connections }) {
  const sizes = []
  const timer = setInterval(() => {
    const mb = residentMb(target.child.pid)
    if (mb !== undefined) sizes.push(mb)
  }, SAMPLE_MS)
  const result = await autocannon({ ...mix(target), connections, duration: seconds, timeout: 30 })
  clearInterval(timer)
  const failed = result.errors + result.timeouts + result['5xx']
  // one request in eleven is for a user that does not exist
  const refused = result['4xx'] - Math.round(result.requests.total / mix(target).requests.length)
  const words = seconds >= 60 ? `${(seconds / 60).toFixed(0)} minutes` : `${seconds} s`
  figures.add(`${words} of mixed load, ${connections} connections: requests a second`, result.requests.mean.toFixed(0))
  figures.add('  answers that failed (errors, time-outs, 5xx)', `${failed}`, '0', failed === 0)
  figures.add(
    '  refusals beside those that the mix asks for',
    `${Math.max(0, Math.abs(refused) - connections)}`,
    '0',
    Math.abs(refused) <= connections,
  )
  figures.add('  p99', `${result.latency.p99} ms`)
  addDrift(figures, sizes)
}

function addDrift(figures, sizes) {
  const warm = sizes.slice(Math.ceil(sizes.length * WARM_UP_SHARE))
  const part = Math.floor(warm.length / 4)
  if (part < 2) return
  const first = median(warm.slice(0, part))
  const last = median(warm.slice(-part))
  const drift = last / first - 1
  const sign = drift < 0 ? '' : '+'
  figures.add(
    `  memory: ${first.toFixed(0)} MB in the first quarter after warming up, ${last.toFixed(0)} MB in the last`,
    `${sign}${(drift * 100).toFixed(1)} %`,
    '± 10 %',
    Math.abs(drift) <= MOST_DRIFT,
  )
  figures.add('  memory, most', `${Math.max(...sizes).toFixed(0)} MB`)
}
