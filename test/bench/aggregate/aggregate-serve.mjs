/** Measures how long a user look-up on `svc serve` takes while the same server runs aggregate queries over ten million samples. */
import { mkdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { percentile } from '../figures.mjs'
import { environment, lookUps, started } from '../samples/samples-serve.mjs'
import { freshFolder, USER } from '../samples/samples-store.mjs'
import { fillStore, lastDay, ONE_SOURCE } from './aggregate-data.mjs'
import { byDay } from './aggregate-scan.mjs'

const AGGREGATES = 10

/** Returns the milliseconds that one aggregate takes over HTTP. */
function aggregate(url, key, body) {
  const began = performance.now()
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const clientRequest = request(`${url}/aggregate/v1/user/${USER}/query`, { method: 'POST', headers }, response => {
      response.resume()
      response.once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - began)
        else reject(new Error(`the aggregate answered ${response.statusCode}`))
      })
    })
    clientRequest.once('error', reject)
    clientRequest.end(JSON.stringify(body))
  })
}

export async function benchServe(engine, figures, { own }) {
  const folder = freshFolder()
  mkdirSync(join(folder, 'data'))
  await (await fillStore(engine, join(folder, 'data'), own, 0, ONE_SOURCE)).close()
  const { server, url, api_key } = await started(environment(folder))
  try {
    const target = `${url}/v2/user/${USER}`
    const body = byDay(lastDay(own, 1))
    await aggregate(url, api_key, body)
    const idle = { done: false }
    setTimeout(() => {
      idle.done = true
    }, 3000)
    const before = await lookUps(target, api_key, idle)
    const busy = { done: false }
    const during = lookUps(target, api_key, busy)
    const took = []
    for (let k = 0; k < AGGREGATES; k++) took.push(await aggregate(url, api_key, body))
    busy.done = true
    const times = await during
    const p99 = percentile(times, 0.99)
    figures.add(
      `a user look-up on svc serve during a ${own / 1e6} M aggregate, p99`,
      `${p99.toFixed(1)} ms`,
      '≤ 20 ms',
      p99 <= 20,
    )
    const words = [`p50 ${percentile(times, 0.5).toFixed(1)}`, `longest ${Math.max(...times).toFixed(1)}`]
    figures.add(`  ${words.join(', ')}; with nothing else running p99`, `${percentile(before, 0.99).toFixed(1)} ms`)
    figures.add('  the aggregate itself, over HTTP, median', `${percentile(took, 0.5).toFixed(0)} ms`)
  } finally {
    server.kill('SIGTERM')
    await new Promise(resolve => server.once('exit', resolve))
    rmSync(folder, { recursive: true })
  }
}
