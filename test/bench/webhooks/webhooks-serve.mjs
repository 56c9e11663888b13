/**
 * A process that serves a data folder and delivers its webhooks, as `svc serve` does. Arguments: the engine module, the folder. It prints
 * `ready`, and then its memory in bytes every half second.
 */
import { pathToFileURL } from 'node:url'

const [modulePath, dataDir] = process.argv.slice(2)
const { startServer } = (await import(pathToFileURL(modulePath).href)).default
const server = await startServer({
  dataDir,
  host: '127.0.0.1',
  port: 0,
  acceptHeaderPrefixes: [],
  apiKey: null,
  publicUrl: null,
  insecureHttp: false,
  log: line => process.stderr.write(`${line}\n`),
})
console.log('ready')
const timer = setInterval(() => console.log(process.memoryUsage.rss()), 500)
process.on('SIGTERM', async () => {
  clearInterval(timer)
  await server.close()
})
