/** All stand-ins in one process, until Ctrl-C. Prints how to set each of them up. */
import { LIVE_CASES } from './live-cases.ts'

/** Set-ups stay valid when the program is started again. */
const FIRST_PORT = 8601

const open = await Promise.all(
  LIVE_CASES.map(async (each, i) => ({ provider: each.provider, ...(await each.open(FIRST_PORT + i)) })),
).catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error
  const last = FIRST_PORT + LIVE_CASES.length - 1
  process.stderr.write(
    `Another process uses a port from ${FIRST_PORT} to ${last}. End it, such as another npm run providers.\n`,
  )
  process.exit(1)
})

for (const { provider, standIn, settings = {} } of open) {
  const lines = [
    `printf %s ${standIn.clientSecret} | svc provider setup ${provider} --client-id ${standIn.clientId} --client-secret-stdin`,
    `--authorize-url ${standIn.authorizeUrl} --token-url ${standIn.tokenUrl} --api-url ${standIn.url}`,
    '--redirect-url http://localhost:8484/callback',
    ...Object.entries(settings).map(([name, value]) => `--setting ${name}=${value}`),
  ]
  process.stdout.write(`${lines.join(' \\\n  ')}\n\n`)
}
process.stderr.write('These stand in for the providers until Ctrl-C. Everyone who consents is the same person.\n')

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.all(open.map(({ standIn }) => standIn.close())).then(() => process.exit(0)))
}
