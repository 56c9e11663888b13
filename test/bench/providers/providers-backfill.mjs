/**
 * Measures how fast the history of one person is pulled, compared with the bare requests: the same URLs, requested one after the other and
 * parsed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'undici'
import { median } from '../figures.mjs'
import { linkPerson, setUp, startFakeProvider } from './providers-processes.mjs'

const LEAST_SAMPLES = 129_000
const MOST_SECONDS = 3
const LEAST_SHARE = 0.5

export async function benchBackfill(engine, figures, { days, rounds }) {
  const fake = await startFakeProvider({ days, rowsAPage: 500 })
  const seconds = []
  const bareSeconds = []
  let seen = []
  let samples = 0
  for (let round = 0; round < rounds; round++) {
    const person = await openPerson(engine, fake)
    await fake.ask({ ask: 'forget' })
    const began = performance.now()
    await person.pullAll()
    seconds.push((performance.now() - began) / 1_000)
    seen = (await fake.ask({ ask: 'requests' })).requests.filter(each => each.path.startsWith('/v2/usercollection/'))
    samples = await person.samples()
    bareSeconds.push(await bare(fake.url, seen))
    await person.close()
  }
  fake.end()
  const [ours, least] = [median(seconds), median(bareSeconds)]
  const share = days / 90
  const what = `history of ${days} days: ${samples} samples in ${seen.length} requests`
  const isReached = ours <= MOST_SECONDS * share && samples >= LEAST_SAMPLES * share
  figures.add(what, `${ours.toFixed(2)} s`, `<= ${(MOST_SECONDS * share).toFixed(1)} s`, isReached)
  figures.add('  the same requests and parses alone', `${least.toFixed(2)} s`)
  figures.add('  share of the bare rate', (least / ours).toFixed(2), `>= ${LEAST_SHARE}`, least / ours >= LEAST_SHARE)
}

/** Opens an engine in this process, with one person whose history has not been pulled yet. */
async function openPerson({ openEngine, runOperation }, fake) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const opened = await openEngine({ dataDir: folder, store: null, publicUrl: null, waitForLock: 'blocking' })
  const team = await opened.localTeam()
  const run = async (id, input, linkToken = null) => {
    const request = { input: { params: {}, query: {}, ...input }, accept: 'application/json' }
    return (await runOperation(opened.context, id, { ...request, credentials: { kind: 'team', team, linkToken } })).body
  }
  // maps the routes that the helpers call to operations of this engine
  const routes = {
    'PUT /svc/v1/providers/oura/setup': body => run('provider.setup', { params: { provider: 'oura' }, body }),
    'POST /v2/user': body => run('user.create', { body }),
    'POST /v2/link/token': body => run('link.token', { body }),
    'GET /v2/link/provider/oauth/oura': (_, token) => run('link.oauth', { params: { provider: 'oura' } }, token),
    'POST /svc/v1/link/oauth/oura/callback': (body, token) =>
      run('link.oauth_callback', { params: { provider: 'oura' }, body }, token),
  }
  const call = (method, path, body, headers) => routes[`${method} ${path}`](body, headers?.['x-service-link-token'])
  await setUp({ call }, fake)
  await linkPerson({ call }, fake, 'person-1')
  return {
    async pullAll() {
      await run('engine.run_due', {})
    },
    async samples() {
      return (await run('engine.status', {})).samples
    },
    async close() {
      await opened.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function bare(url, requests) {
  const client = new Client(url)
  const began = performance.now()
  for (const { path, authorization } of requests) {
    const { body } = await client.request({ method: 'GET', path, headers: { authorization } })
    JSON.parse(await body.text())
  }
  const seconds = (performance.now() - began) / 1_000
  await client.close()
  return seconds
}
