/**
 * A process that writes events and samples until it is killed. Arguments: the engine module, the folder, how many writers, the first number,
 * and the users. It prints `USER NUMBER SEQUENCE WAITED_MS.` once both are durable. A write that fails, because the database is
 * unreachable, is repeated, and the process prints `failed CODE`.
 */
import { pathToFileURL } from 'node:url'
import { START, writing } from '../samples/samples-store.mjs'
import { emit } from './store-processes.mjs'

const [modulePath, dataDir, writers, first, userList] = process.argv.slice(2)
const engine = (await import(pathToFileURL(modulePath).href)).default
const users = userList.split(',')
const opened = await engine.openEngine({ dataDir, waitForLock: 'async' })
const team = await opened.localTeam()
const { store } = opened.context
let number = Number(first)

const series = { resource: 'heartrate', type: null, provider: 'whoop', sourceType: 'watch' }
const sample = at => ({
  series,
  n: 1,
  start: Float64Array.of(START + at * 1_000),
  end: null,
  value: Float64Array.of(60 + (at % 90)),
  second: null,
  offset: null,
  text: new Map(),
})

async function insisting(write) {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      process.stdout.write(`failed ${error.code ?? error.name}\n`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
}

async function work() {
  for (;;) {
    const mine = number++
    const userId = users[mine % users.length]
    const began = performance.now()
    await insisting(() => store.data.write(userId, { ...writing([sample(mine)]), teamId: team.teamId }))
    const { sequence } = await insisting(() => emit(store, team, userId, mine))
    process.stdout.write(`${userId} ${mine} ${sequence} ${(performance.now() - began).toFixed(0)}.\n`)
  }
}
for (let i = 0; i < Number(writers); i++) void work()
