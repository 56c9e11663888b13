/**
 * A process that receives webhooks and responds at once, with as little work as possible: it parses HTTP itself. Argument: the share of
 * requests that get 500. Paths below /hang never get a response. It prints its port and, for each line on stdin, a line of JSON with the
 * counts so far, by the first part of the path.
 */
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

const failing = Number(process.argv[2] ?? 0)
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
const FAILED = 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n'

const counts = { requests: 0, taken: 0, again: 0, failed: 0, hanging: 0, signed: 0, disordered: 0 }
/** The last number that each user's events had, for events with a number. */
const lastOf = new Map()
/** The received IDs, each with its path. */
const taken = new Set()

/** An event that arrives for the first time must not come before one with a lower number. */
function order(body) {
  const [, user, number] = /"number":"([^"]*):(\d+)"/.exec(body) ?? []
  if (user === undefined) return
  if (Number(number) < (lastOf.get(user) ?? 0)) counts.disordered++
  lastOf.set(user, Number(number))
}

function received(head, body) {
  counts.requests++
  const path = head.slice(5, head.indexOf(' ', 5))
  if (path.startsWith('/hang')) {
    counts.hanging++
    return null
  }
  if (failing > 0 && Math.random() < failing) {
    counts.failed++
    return FAILED
  }
  counts.taken++
  if (head.includes('webhook-signature: v1,')) counts.signed++
  const at = head.indexOf('webhook-id: ') + 12
  const name = `${path} ${head.slice(at, at + 36)}`
  if (taken.has(name)) counts.again++
  else {
    taken.add(name)
    order(body)
  }
  return OK
}

const server = createServer(socket => {
  let rest = ''
  socket.setNoDelay(true).setEncoding('latin1')
  socket.on('error', () => {})
  socket.on('data', text => {
    rest += text
    let responses = ''
    for (;;) {
      const end = rest.indexOf('\r\n\r\n')
      if (end < 0) break
      const head = rest.slice(0, end)
      const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)
      if (rest.length < end + 4 + length) break
      responses += received(head, rest.slice(end + 4, end + 4 + length)) ?? ''
      rest = rest.slice(end + 4 + length)
    }
    if (responses !== '') socket.write(responses)
  })
})

server.listen(0, '127.0.0.1', () => console.log(server.address().port))
createInterface({ input: process.stdin })
  .on('line', () => {
    console.log(JSON.stringify({ ...counts, ids: taken.size }))
  })
  .on('close', () => process.exit(0))
