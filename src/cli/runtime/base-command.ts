/** The base of every command: shared flags, access to the service, output, and error handling. */
import { Command } from '@oclif/core/command'
import type { Input, OutputArgs, OutputFlags, ParserOutput } from '@oclif/core/interfaces'
import type { CallOptions, ServiceClient } from '../../client/client.ts'
import type { CallerInput, ReplyBody } from '../../contract/kernel/operation.ts'
import type { OperationId, Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import type { EpochMs } from '../../core/time.ts'
import { type FileFormat, OUTPUT_FORMATS, type OutputFormat, render } from '../../output/render.ts'
import { messageText, type Screen, stderrScreen, stdoutScreen } from '../../output/screen.ts'
import type { TableScreen } from '../../output/text-table.ts'
import { hasTimes, type View } from '../../output/view.ts'
import { looseKeys } from '../../profile/config-folder.ts'
import { readProfileFile } from '../../profile/profile-file.ts'
import { resolveSettings, type SettingFlags, type Settings } from '../../profile/settings.ts'
import { withUser } from '../arguments/user-argument.ts'
import { type Pieces, writeStdout } from './answer-file.ts'
import { hasFlag, isGiven, wantsJson } from './command-line.ts'
import { describeFailure } from './failure.ts'
import { asCancellation, listenForInterrupt, restoreTerminal } from './interrupt.ts'
import { sharedFlags } from './shared-flags.ts'
import { asUsageError } from './usage.ts'
import { usageLine } from './usage-line.ts'

interface SharedValues extends SettingFlags {
  readonly output: OutputFormat | FileFormat | undefined
  readonly json: boolean
  readonly wide: boolean
  readonly noPager: boolean
  readonly noInput: boolean
  readonly quiet: boolean
  readonly isSafeCsv: boolean
}

export abstract class SvcCommand extends Command {
  static override baseFlags = sharedFlags

  /** The framework's own JSON mode exits with 1 for every error and dumps its configuration, so this class handles both itself. */
  static override enableJsonFlag = false

  private shared: SharedValues | undefined
  private openedClient: ServiceClient | undefined
  private settled: Settings | undefined

  protected override async init(): Promise<void> {
    // Otherwise a parse error under NODE_ENV=test also warns that nothing was parsed.
    this.parsed = true
    listenForInterrupt()
  }

  protected override async parse<F extends OutputFlags<F>, B extends OutputFlags<B>, A extends OutputArgs<A>>(
    options?: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    // Otherwise the framework takes stdin for a missing argument, and a piped password would be shown as an unknown name.
    for (const arg of Object.values<{ ignoreStdin?: boolean }>(options?.args ?? {})) arg.ignoreStdin = true
    const result = await super.parse(options, argv)
    const flags: Readonly<Record<string, unknown>> = result.flags
    const given = new Set<string>()
    for (const token of result.raw) if (token.type === 'flag') given.add(token.flag)
    // Only flags on the command line count here; variables are resolved later, together with their source (whoami).
    const givenFlag = (name: string) => (given.has(name) ? (flags[name] as string) : undefined)
    this.shared = {
      output: flags['output'] as SharedValues['output'],
      json: flags['json'] === true,
      wide: flags['wide'] === true,
      noPager: flags['no-pager'] === true,
      noInput: flags['no-input'] === true,
      quiet: flags['quiet'] === true,
      isSafeCsv: flags['safe-csv'] === true,
      profile: givenFlag('profile'),
      baseUrl: givenFlag('base-url'),
      dataDir: givenFlag('data-dir'),
    }
    if (given.has('json') && given.has('output') && this.shared.output !== 'json') {
      throw new ServiceError('usage', `--json and --output ${this.shared.output} exclude each other.`)
    }
    return result
  }

  /** The shared flags on the command line itself, without variables. */
  protected get givenFlags(): SettingFlags {
    return this.sharedValues
  }

  /** Throws ServiceError `profile_file`, `unknown_profile` or `usage`. */
  protected get settings(): Settings {
    if (this.settled === undefined) {
      const file = readProfileFile()
      this.settled = resolveSettings(this.sharedValues, process.env, file)
      for (const warning of looseKeys(file)) this.hint(warning)
    }
    return this.settled
  }

  /**
   * Returns the client for the service that the settings name; it is closed when the command ends. `restoring` is the snapshot that
   * replaces a lost database, for the command that restores one.
   */
  protected async client(restoring?: string): Promise<ServiceClient> {
    this.openedClient ??= await this.open(restoring)
    return this.openedClient
  }

  private async open(restoring: string | undefined): Promise<ServiceClient> {
    const { baseUrl, apiKey, headerPrefix, timeoutMs, dataDir, publicUrl } = this.settings
    if (baseUrl.value === null) {
      const { openEmbedded } = await import('../../client/embedded.ts')
      return openEmbedded({
        dataDir: dataDir.value,
        publicUrl: publicUrl.value,
        apiKey: apiKey.value,
        restoring,
        note: line => this.hint(line),
      })
    }
    const { openHttp } = await import('../../client/http.ts')
    return openHttp({
      baseUrl: baseUrl.value,
      apiKey: apiKey.value,
      timeoutMs: timeoutMs.value,
      ...(headerPrefix.value === null ? {} : { headerPrefix: headerPrefix.value }),
    })
  }

  /** Calls an operation that answers JSON, or nothing (204: undefined). Throws ServiceError for every answer that is not 2xx. */
  protected async ask<K extends OperationId>(
    id: K,
    input: CallerInput<Operations[K]>,
    options?: CallOptions,
  ): Promise<ReplyBody<Operations[K]>> {
    const client = await this.client()
    const reply = await client.call(id, input, options)
    const { deprecationWarnings } = await import('./deprecation-warning.ts')
    for (const warning of deprecationWarnings(id, input, reply.headers)) this.hint(warning)
    // Only an operation whose body is `undefined` has an empty answer.
    if (reply.kind === 'empty') return undefined as ReplyBody<Operations[K]>
    if (reply.kind !== 'json') throw new ServiceError('bad_response', `The answer to ${id} is not JSON.`)
    return reply.body
  }

  /** Calls `use` with the user_id of USER, which may be a client_user_id. */
  protected async withUser<T>(given: string, use: (userId: string) => Promise<T>): Promise<T> {
    return withUser(await this.client(), given, use)
  }

  /** The output format: --json, --output, or else table on a terminal and json in a pipe. */
  protected get format(): OutputFormat {
    const { json, output } = this.sharedValues
    if (json) return 'json'
    return OUTPUT_FORMATS.find(each => each === output) ?? this.defaultFormat
  }

  /** The file format that --output asks for, if the command's `outputFlag` has one. `format` is then the format of the summary line. */
  protected get fileFormat(): FileFormat | undefined {
    const { json, output } = this.sharedValues
    return !json && (output === 'parquet' || output === 'arrow' || output === 'svg') ? output : undefined
  }

  protected get defaultFormat(): OutputFormat {
    return process.stdout.isTTY ? 'table' : 'json'
  }

  /** The value of --safe-csv; false when the command does not have it. */
  protected get isSafeCsv(): boolean {
    return this.sharedValues.isSafeCsv
  }

  protected get isQuiet(): boolean {
    return this.sharedValues.quiet
  }

  /** Whether a person can be asked: stdin and stderr are terminals, and --no-input is not set. */
  protected get canAsk(): boolean {
    return !this.sharedValues.noInput && process.stdin.isTTY === true && process.stderr.isTTY === true
  }

  /** Prints an answer. json is the body, unchanged; the other formats are rendered from the view. */
  protected async print<Row>(body: unknown, view: View<Row>): Promise<void> {
    const { format } = this
    const screen = format === 'table' ? await this.tableScreen(hasTimes(view)) : {}
    const { isTerminal } = this.screen()
    const text = await render(format, body, view, { indent: isTerminal, screen, isSafeCsv: this.isSafeCsv })
    await this.write([text], format)
  }

  /** Returns the screen of stdout; an empty one when the answer goes into the file `out`. */
  protected screen(out?: string): Screen {
    return stdoutScreen(this.sharedValues.wide, out)
  }

  /** Returns where a table is shown. Relative times need to know the engine's time. */
  protected async tableScreen(hasTimes: boolean): Promise<TableScreen> {
    const { isTerminal, isWide, width, color: isColored } = this.screen()
    if (!isTerminal || isWide) return { isColored }
    return { isColored, width, now: hasTimes ? await this.engineTime() : undefined }
  }

  /** Returns undefined if the service is another one whose time is unknown to us, and does not say what time it is. */
  private async engineTime(): Promise<EpochMs | undefined> {
    if (!this.openedClient) return undefined
    try {
      const reply = await this.openedClient.call('clock.get', {})
      return reply.kind === 'json' ? Date.parse(reply.body.now) : undefined
    } catch (error) {
      // Any other service lives in real time; one that has a clock and does not show it may not.
      return error instanceof ServiceError && error.status === 404 ? Date.now() : undefined
    }
  }

  /** Writes an answer to stdout; a table that is longer than the terminal goes through the user's pager. */
  protected async write(pieces: Pieces, format: string): Promise<void> {
    const { isTerminal, width, height } = this.screen()
    const { noPager, noInput } = this.sharedValues
    if (format === 'table' && isTerminal && width && height && this.isPaged && !noPager && !noInput) {
      const { pagerCommand, writePaged } = await import('./pager.ts')
      const command = pagerCommand()
      if (command !== undefined) return writePaged(pieces, { command, width, height })
    }
    await writeStdout(pieces)
  }

  /** Whether long tables may go through a pager: not the report of a command that shows progress. */
  protected readonly isPaged: boolean = true

  /** Writes a line to stderr that is helpful but not essential; --quiet suppresses it. */
  protected hint(line: string): void {
    if (!this.isQuiet) process.stderr.write(`${messageText(line, stderrScreen())}\n`)
  }

  protected override async catch(thrown: Error): Promise<void> {
    restoreTerminal()
    const flags = Object.entries(this.ctor.flags ?? {})
    const error = asUsageError(asCancellation(thrown) as Error, {
      command: this.commandName,
      flags: [...flags.map(([name]) => name), ...Object.keys(sharedFlags)],
      missing: flags.flatMap(([name, flag]) => (flag.required && !isGiven(this.argv, name) ? [name] : [])),
      usage: usageLine({ id: this.id ?? '', args: this.ctor.args, flags: this.ctor.flags }),
    })
    const failure = describeFailure(error, {
      json: wantsJson(this.argv),
      debug: hasFlag(this.argv, 'debug', 'SVC_DEBUG'),
      flags: flags.map(([name]) => name),
      args: Object.keys(this.ctor.args ?? {}),
      argv: this.argv,
      screen: stderrScreen(),
    })
    process.exitCode = failure.exitCode
    process.stderr.write(failure.text)
  }

  protected override async finally(): Promise<void> {
    await this.openedClient?.close()
  }

  /** `user create`. */
  protected get commandName(): string {
    return (this.id ?? '').replaceAll(':', ' ')
  }

  private get sharedValues(): SharedValues {
    if (!this.shared) throw new Error('the command line is not parsed yet')
    return this.shared
  }
}
