/** Look-ups at a fixed rate over a fixed number of connections, whatever the server does: their times and failures. */
import { Agent, get } from 'node:http'

const GIVE_UP_MS = 30_000
/** One look-up in so many comes over a connection of its own: who connects anew must be served too. */
const ANEW = 20
const TURN_MS = 2

/**
 * Looks up the paths in turn. A time is counted from when the look-up was due, so that one that had to wait for a connection is
 * not quicker for it. `stop()` waits for those that are under way.
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
  const turn = setInterval(() => {
    const dueNow = ((performance.now() - began) / 1000) * perSecond
    for (; sent < dueNow; sent++) look(began + (sent / perSecond) * 1000)
  }, TURN_MS)

  return {
    async stop() {
      clearInterval(turn)
      await Promise.all(running)
      agent.destroy()
      return { times, failures }
    },
  }
}

/** Null, or why it failed. A kept connection that was closed meanwhile is no failure: clients ask again over another. */
function once(url, options, isAgain = false) {
  return new Promise(resolve => {
    const asked = get(url, options, answer => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode === 200 ? null : `${answer.statusCode}`))
      answer.once('error', error => resolve(error.code ?? error.message))
    })
    asked.setTimeout(GIVE_UP_MS, () => asked.destroy(new Error('no answer')))
    asked.once('error', error => {
      if (asked.reusedSocket && error.code === 'ECONNRESET' && !isAgain) resolve(once(url, options, true))
      else resolve(error.code ?? error.message)
    })
  })
}
