/** The minimum cost of a route in the same framework: a Fastify server that returns fixed bytes, in its own process. */
import { readFileSync } from 'node:fs'
import fastify from 'fastify'

// a JSON file: [{path, bytes}], the bytes as text
const routes = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const app = fastify({ logger: false })
for (const { path, bytes } of routes) {
  app.get(path, (_request, reply) => {
    reply.type('application/json')
    return bytes
  })
}
await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${app.server.address().port}` })}\n`)
process.once('SIGTERM', () => app.close().then(() => process.exit(0)))
