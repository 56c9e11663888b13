/** `svc open`. */
import { once } from 'node:events'
import { boolean } from '@oclif/core/flags'
import { listenForStop } from '../cli/listen/stop.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { openInBrowser } from '../cli/runtime/browser.ts'
import { consoleFolder } from '../cli/serve/console-folder.ts'
import type { ResponseOf } from '../client/client.ts'
import { ServiceError } from '../core/errors.ts'
import { factSheet } from '../output/view.ts'
import type { RunningServer } from '../server/start.ts'

type SignInUrl = ResponseOf<'console.sign_in_token'>

export default class Open extends SvcCommand {
  static override summary = 'Open the console in the browser, signed in'
  static override description =
    "Uses the profile's server, or the server that is running on the data folder. If none is running there, starts " +
    'one on a free port until Ctrl-C. The URL signs you in once, within a minute. With --json, opens no browser and ' +
    'prints the URL on one line.'
  static override examples = toExamples('', '--no-browser', '--profile staging')
  static override flags = {
    'no-browser': boolean({ description: 'Print the URL instead of opening it' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Open)
    const server = await this.startedServer()
    if (server === null) return this.present(await this.createSignInUrl(), flags['no-browser'])
    const stopped = once(listenForStop(['SIGINT', 'SIGTERM']).signal, 'abort')
    try {
      await this.present(await this.createSignInUrl(), flags['no-browser'])
      this.hint(`The server at ${server.url} runs until you press Ctrl-C.`)
      await stopped
    } finally {
      await server.close()
    }
  }

  /** Starts a server in this process if the settings select a data folder without a running server. Returns null if a server is running. */
  private async startedServer(): Promise<RunningServer | null> {
    const { baseUrl, dataDir, store } = this.settings
    if (baseUrl.value !== null) return null
    const { openDataFolder, runningServer } = await import('../store/folder/data-folder.ts')
    if (runningServer(openDataFolder(dataDir.value)) !== null) return null
    const { startServer } = await import('../server/start.ts')
    return startServer({
      dataDir: dataDir.value,
      store: store.value,
      host: '127.0.0.1',
      port: 0,
      acceptHeaderPrefixes: [],
      apiKey: null,
      // a public URL belongs to the server that it was configured for
      publicUrl: null,
      insecureHttp: false,
      consoleFolder: consoleFolder(this.config.root),
      version: this.config.version,
      log: () => {},
    })
  }

  private async createSignInUrl(): Promise<SignInUrl> {
    try {
      return await this.ask('console.sign_in_token', {})
    } catch (error) {
      const isOlder =
        error instanceof ServiceError && error.code === 'not_found' && this.settings.baseUrl.value !== null
      if (!isOlder) throw error
      throw new ServiceError('unsupported_operation', 'The server has no console.', { cause: error })
    }
  }

  /** Opens the URL, or prints it. JSON is on one line, so that a program can read it and continue. */
  private async present({ url, expires_at }: SignInUrl, withoutBrowser: boolean): Promise<void> {
    const isOnlyPrinted = withoutBrowser || this.sharedValues.wantsData
    const isOpen = isOnlyPrinted ? false : await openInBrowser(url)
    if (!isOnlyPrinted && !isOpen) this.hint('No browser could be opened. Open the URL yourself, within a minute.')
    if (this.selection || this.format === 'csv') return this.print({ url, expires_at }, factSheet({ url, expires_at }))
    if (this.format !== 'table') process.stdout.write(`${JSON.stringify({ url, expires_at })}\n`)
    else if (isOpen) process.stdout.write(`Opened ${new URL(url).origin} in the browser.\n`)
    else process.stdout.write(`${url}\n`)
  }
}
