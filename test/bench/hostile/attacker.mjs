/** The attacking process: its argument lists the attacks. It exits with the benchmark, on request, or after its maximum time. */
import { constants, setPriority } from 'node:os'
import { ATTACKS, pushBodies } from './attacks.mjs'
import { hostileResponses } from './provider.mjs'

const { names, mostMs, ...target } = JSON.parse(process.argv[2])
// anything that is slow to create is created before measuring starts
const bodies = names.includes('push') ? pushBodies() : []
const responses = names.includes('provider') ? hostileResponses() : []
// a real server's attackers run on other machines
setPriority(constants.priority.PRIORITY_LOW)

const counts = {}
const count = (what, n = 1) => {
  counts[what] = (counts[what] ?? 0) + n
}
const end = () => {
  if (process.connected) process.send({ counts }, () => process.exit(0))
  else process.exit(0)
}
process.on('message', said => (said === 'begin' ? begin() : end()))
process.on('disconnect', () => process.exit(0))
setTimeout(() => process.exit(0), mostMs)
function begin() {
  for (const name of names) {
    ATTACKS[name]({ ...target, bodies, answers: responses, count }).catch(error => {
      process.send?.({ error: `${name}: ${error.stack}` })
      process.exit(1)
    })
  }
}
process.send({ isReady: true })
