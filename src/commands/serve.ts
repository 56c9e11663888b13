/** `svc serve`. */
import { once } from 'node:events'
import path from 'node:path'
import { boolean, integer, option, string } from '@oclif/core/flags'
import { FAULT_SPEC, parseFault, parseLatency } from '../cli/faults/fault-spec.ts'
import { listenForStop } from '../cli/listen/stop.ts'
import { BatchedLines } from '../cli/output/batched-lines.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { repeatable } from '../cli/runtime/shared-flags.ts'
import { readSecretLine } from '../cli/runtime/standard-input.ts'
import { consoleFolder } from '../cli/serve/console-folder.ts'
import { checkEmbedded, profileToSave, type SavedProfile, saveToProfile } from '../cli/serve/saved-profile.ts'
import { deliveryFlags } from '../cli/webhooks/target-flags.ts'
import { renderCsv } from '../output/render.ts'
import { factSheet } from '../output/view.ts'
import { maskKey } from '../profile/settings.ts'
import { DEFAULT_FAULT_SEED } from '../server/faults/fault-plan.ts'
import { DEFAULT_RATE_LIMIT } from '../server/guards/rate-limit.ts'
import { LOG_FORMATS } from '../server/observability/log.ts'
import type { RunningServer } from '../server/start.ts'

const DEFAULT_PORT = 8123
/** Lowest allowed limit. A lower limit could cause ordinary JSON bodies to be refused while another request is running. */
const LEAST_BYTES_IN_FLIGHT = 4 * 1024 * 1024

export default class Serve extends SvcCommand {
  static override summary = 'Serve the embedded engine over HTTP'
  static override description =
    'Creates an API key at startup and revokes it on exit; --api-key-stdin sets one instead, and --save-profile ' +
    'keeps one in a profile. With --json, prints the URL, key and team on one line as soon as the server accepts ' +
    'connections. Delivers webhooks and runs jobs that become due. Ctrl-C lets running requests finish.'
  static override examples = toExamples('', '--save-profile dev', '--port 0 --data-dir ./scratch --json')
  static override flags = {
    port: integer({
      description: 'Port to listen on; 0 picks a free one',
      helpValue: 'PORT',
      default: DEFAULT_PORT,
      min: 0,
      max: 65535,
    }),
    host: string({ description: 'Address to listen on', helpValue: 'ADDRESS', default: '127.0.0.1' }),
    'accept-header-prefix': string({
      description: 'Also accept x-PREFIX-api-key headers and vnd.PREFIX media types; can be repeated',
      ...repeatable,
      helpValue: 'PREFIX',
    }),
    'api-key-stdin': boolean({ description: 'Read the API key from stdin', exclusive: ['save-profile'] }),
    'save-profile': string({
      description: 'Keep the API key in this profile and reuse it at the next start',
      helpValue: 'NAME',
    }),
    'insecure-http': boolean({ description: 'Allow plain HTTP on a host other than this machine' }),
    console: boolean({
      description: 'Also serve the console on a host other than this machine; requires https',
    }),
    'tls-cert': string({
      description: 'TLS certificate with its chain, in PEM',
      helpValue: 'FILE',
      dependsOn: ['tls-key'],
    }),
    'tls-key': string({
      description: 'Private key of the certificate, in PEM',
      helpValue: 'FILE',
      dependsOn: ['tls-cert'],
    }),
    providers: string({
      description: 'JSON file with your own providers',
      env: 'SVC_PROVIDERS',
      helpValue: 'FILE',
    }),
    'rate-limit': integer({
      description:
        'Maximum number of requests per second for each API key, with bursts of twice as many; 0 for no limit',
      default: DEFAULT_RATE_LIMIT,
      min: 0,
      max: 1_000_000,
      helpValue: 'N',
    }),
    'max-bytes-in-flight': integer({
      description:
        'Maximum total size of decompressed request bodies in memory, in bytes; defaults to a quarter of the heap ' +
        'limit',
      env: 'SVC_MAX_BYTES_IN_FLIGHT',
      min: LEAST_BYTES_IN_FLIGHT,
      helpValue: 'BYTES',
    }),
    'trust-proxy': string({
      description: 'IP address or range of a proxy whose X-Forwarded-For contains the client address; can be repeated',
      ...repeatable,
      env: 'SVC_TRUST_PROXY',
      helpValue: 'ADDRESS',
    }),
    cors: string({
      description: 'Allow scripts from this origin, or from any (*), to read responses; can be repeated',
      ...repeatable,
      helpValue: 'ORIGIN',
    }),
    fault: string({
      description: "Fail on purpose, as in 'GET /v2/timeseries/*=503:0.2'; see `svc engine fault add`; can be repeated",
      ...repeatable,
      helpValue: FAULT_SPEC,
    }),
    latency: string({
      description: "Delay on purpose, as in 200ms:0.1 or 'GET /v2/user/*=2s'; can be repeated",
      ...repeatable,
      helpValue: '[[METHOD] PATH=]DELAY[:PROBABILITY]',
    }),
    'fault-seed': string({
      description: 'Seed for choosing the requests that faults affect',
      default: DEFAULT_FAULT_SEED,
      helpValue: 'TEXT',
    }),
    'no-deliver': boolean({ description: 'Do not deliver webhooks in this process' }),
    ...deliveryFlags(),
    'metrics-open': boolean({ description: 'Serve /metrics without an API key' }),
    'log-format': option({ options: LOG_FORMATS, description: 'Format of log lines on stderr', default: 'text' })(),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Serve)
    const saved = flags['save-profile'] === undefined ? null : profileToSave(flags['save-profile'])
    checkEmbedded(this.settings, saved)
    const { dataDir, store, publicUrl } = this.settings
    const apiKey = flags['api-key-stdin'] ? await readSecretLine('--api-key-stdin') : null
    const lines = new BatchedLines(text => this.hint(text))
    const { startServer } = await import('../server/start.ts')
    const server = await startServer({
      dataDir: dataDir.value,
      store: store.value,
      providers: flags.providers === undefined ? undefined : path.resolve(flags.providers),
      host: flags.host,
      port: flags.port,
      acceptHeaderPrefixes: flags['accept-header-prefix'] ?? [],
      apiKey,
      profile: saved
        ? { name: saved.name, baseUrl: saved.stored?.baseUrl ?? null, key: saved.stored?.apiKey ?? null }
        : undefined,
      publicUrl: publicUrl.value,
      insecureHttp: flags['insecure-http'],
      console: flags.console,
      consoleFolder: consoleFolder(this.config.root),
      tls: tlsFiles(flags['tls-cert'], flags['tls-key']),
      rateLimit: flags['rate-limit'],
      maxBytesInFlight: flags['max-bytes-in-flight'],
      trustedProxies: toList(flags['trust-proxy']),
      corsOrigins: flags.cors ?? [],
      metricsAreOpen: flags['metrics-open'],
      delivers: !flags['no-deliver'],
      allowPrivateTargets: flags['allow-private-targets'] ? true : undefined,
      allowLoopbackTargets: flags['allow-loopback-targets'],
      faults: [
        ...(flags.fault ?? []).map(text => parseFault(text, '--fault')),
        ...(flags.latency ?? []).map(text => parseLatency(text, '--latency')),
      ],
      faultSeed: flags['fault-seed'],
      version: this.config.version,
      log: line => lines.add(line),
      logFormat: flags['log-format'],
    })
    const stopped = once(listenForStop(['SIGINT', 'SIGTERM']).signal, 'abort')
    if (saved) await this.save(saved, server)
    const ready = { url: server.url, api_key: server.apiKey, team_id: server.teamId }
    await this.announce(saved ? { ...ready, profile: saved.name } : ready, server.keyOrigin === 'kept')
    await stopped
    this.hint('Stopping once running requests are finished. Press Ctrl-C again to stop immediately.')
    await server.close()
    lines.flush()
  }

  /** Stores the key in the profile. If this fails, stops the server and revokes a new key. */
  private async save(saved: SavedProfile, server: RunningServer): Promise<void> {
    try {
      await saveToProfile(saved, server)
    } catch (error) {
      await server.close()
      throw error
    }
    server.keepKey()
    if (server.keyOrigin === 'replaced')
      this.hint(`The key of the profile "${saved.name}" was revoked. It has a new one.`)
  }

  /** Prints JSON on one line, so that a program that starts the server can read it and continue. */
  private async announce(ready: Ready, isKept: boolean): Promise<void> {
    if (this.selection) return this.print(ready, factSheet({ ...ready }))
    const { url, api_key, team_id, profile } = ready
    if (this.format === 'csv') process.stdout.write(renderCsv(factSheet({ ...ready })))
    else if (this.format !== 'table') process.stdout.write(`${JSON.stringify(ready)}\n`)
    else {
      // the user received the whole key when it was created, and other people may see the screen
      process.stdout.write(`Listening on ${url}\nAPI key ${isKept ? maskKey(api_key) : api_key}\nTeam    ${team_id}\n`)
      if (profile !== undefined) process.stdout.write(`Profile ${profile}: keeps the key, which stays valid\n`)
    }
  }
}

interface Ready {
  readonly url: string
  readonly api_key: string
  readonly team_id: string
  /** Name of the profile that keeps the key. */
  readonly profile?: string
}

/** Splits comma-separated values. A repeatable flag is a single string if it comes from an environment variable. */
function toList(values: readonly string[] | string | undefined): string[] {
  return [values ?? []].flat().flatMap(value => value.split(','))
}

function tlsFiles(cert: string | undefined, key: string | undefined): { cert: string; key: string } | null {
  return cert === undefined || key === undefined ? null : { cert, key }
}
