/** Makes look-ups at a fixed rate over a fixed number of connections, however the server responds, and records times and failures. */
import { Agent, get } from 'node:http'

const GIVE_UP_MS = 30_000
/** One look-up in this many opens a new connection: new clients must be served too. */
const ANEW = 20
const TURN_MS = 2

/**
 * Looks up the paths in turn. Each time is measured from when the look-up was due, so that waiting for a connection counts too. `stop()`
 * waits for the look-ups in progress.
 */
export function lookUps({ url, apiKey, paths, connections, perSecond }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const headers = { 'x-service-api-key': apiKey }
  const times = []
  const failures = new Map()
  const running = new Set()
  const began = performance.now()
  let sent = 0

  const look = due => {
    const over = sent % ANEW === ANEW - 1 ? false : agent
    const done = once(`${url}${paths[sent % paths.length]}`, { agent: over, headers })
    running.add(done)
    done.then(failure => {
      running.delete(done)
      times.push(performance.now() - due)
      if (failure !== null) failures.set(failure, (failures.get(failure) ?? 0) + 1)
    })
  }
  const tick = setInterval(() => {
    const dueNow = ((performance.now() - began) / 1000) * perSecond
    for (; sent < dueNow; sent++) look(began + (sent / perSecond) * 1000)
  }, TURN_MS)

  return {
    async stop() {
      clearInterval(tick)
      await Promise.all(running)
      agent.destroy()
      return { times, failures }
    },
  }
}

/**
 * Returns null, or the reason for a failure. A kept-alive connection that was closed in the meantime is not a failure: clients try again
 * over another one.
 */
function once(url, options, isAgain = false) {
  return new Promise(resolve => {
    const clientRequest = get(url, options, response => {
      response.resume()
      response.once('end', () => resolve(response.statusCode === 200 ? null : `${response.statusCode}`))
      response.once('error', error => resolve(error.code ?? error.message))
    })
    clientRequest.setTimeout(GIVE_UP_MS, () => clientRequest.destroy(new Error('no answer')))
    clientRequest.once('error', error => {
      if (clientRequest.reusedSocket && error.code === 'ECONNRESET' && !isAgain) resolve(once(url, options, true))
      else resolve(error.code ?? error.message)
    })
  })
}
