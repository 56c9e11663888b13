/** How `npm run citus -- --add-worker FOLDER` reaches the command that runs the cluster: a socket in its folder. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Refused } from '../cluster/arguments.mjs'

const NAME = 'control.sock'

/** The last line of a request that succeeded. */
const DONE = 'Done.'

/** Calls `add` for each request, one at a time. It gets a function that prints a line for the person who made the request. */
export async function acceptRequests(folder, add) {
  let last = Promise.resolve()
  const server = createServer(socket => {
    // whoever made the request may have left
    socket.on('error', () => {})
    const say = line => socket.writable && socket.write(`${line}\n`)
    last = last
      .then(() => add(say))
      .then(
        () => socket.end(`${DONE}\n`),
        error => socket.end(`${error.message}\n`),
      )
  })
  server.listen(path.join(folder, NAME)).unref()
  await once(server, 'listening')
}

/** Requests a worker, and prints how that proceeds. Throws Refused with exit code 1 if it fails, and 2 if no cluster runs in the folder. */
export async function requestWorker(folder) {
  const socket = connect(path.join(folder, NAME))
  try {
    await once(socket, 'connect')
  } catch {
    throw new Refused(`No cluster is running in ${folder}. Use the folder that npm run citus shows.`, 2)
  }
  let last = ''
  for await (const line of createInterface({ input: socket })) {
    last = line
    console.error(line)
  }
  if (last !== DONE) throw new Refused('The worker was not added.', 1)
}
