/** All fake providers in one process, until Ctrl-C. Prints how to set up each of them. */
import { parseArgs } from 'node:util'
import { LIVE_CASES, type LiveCase, type OpenCase } from './live-cases.ts'

/** OAuth apps stay valid when the program is restarted, as long as the ports are free. */
const FIRST_PORT = 8601
const LAST_PORT = 65_535

const USAGE = `npm run providers -- [--port-base N]

Starts a fake of each live provider on ports of this machine from N on (default ${FIRST_PORT}), skipping ports that are taken.
`

const base = portBase()
let next = base
const open: (OpenCase & Pick<LiveCase, 'provider'>)[] = []
for (const each of LIVE_CASES) open.push({ provider: each.provider, ...(await opened(each)) })

for (const { provider, fake, settings = {} } of open) {
  const lines = [
    `printf %s ${fake.clientSecret} | svc provider setup ${provider} --client-id ${fake.clientId} --client-secret-stdin`,
    `--authorize-url ${fake.authorizeUrl} --token-url ${fake.tokenUrl} --api-url ${fake.url}`,
    '--redirect-url http://localhost:8484/callback',
    ...Object.entries(settings).map(([name, value]) => `--setting ${name}=${value}`),
  ]
  process.stdout.write(`${lines.join(' \\\n  ')}\n\n`)
}
if (next !== base + LIVE_CASES.length) {
  process.stderr.write(
    'Some ports were taken, so the addresses are others than in a run without that. Set the providers up again.\n',
  )
}
process.stderr.write('These stand in for the providers until Ctrl-C. Everyone who consents is the same person.\n')

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.all(open.map(({ fake }) => fake.close())).then(() => process.exit(0)))
}

/** Opens a fake provider on the next free port. */
async function opened(each: LiveCase): Promise<OpenCase> {
  while (next <= LAST_PORT) {
    try {
      return await each.open(next++)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error
    }
  }
  return refuse(`No port from ${base} to ${LAST_PORT} is free. Choose a lower --port-base.`)
}

function portBase(): number {
  let given: string | undefined
  try {
    const { values } = parseArgs({
      options: { 'port-base': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
    if (values.help) {
      process.stdout.write(USAGE)
      process.exit(0)
    }
    given = values['port-base']
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${USAGE}`)
  }
  if (given === undefined) return FIRST_PORT
  const port = Number(given)
  if (/^\d{1,5}$/.test(given) && port >= 1 && port <= LAST_PORT) return port
  return refuse(`--port-base must be a port from 1 to ${LAST_PORT}, such as ${FIRST_PORT}.`)
}

function refuse(message: string): never {
  process.stderr.write(`${message.trimEnd()}\n`)
  process.exit(1)
}
