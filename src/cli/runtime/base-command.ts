/** The base of every command: shared flags, access to the service, output, and error handling. */
import { Command } from '@oclif/core/command'
import type { Input, OutputArgs, OutputFlags, ParserOutput } from '@oclif/core/interfaces'
import type { CallOptions, ResponseOf, ServiceClient } from '../../client/client.ts'
import type { CallerInput } from '../../contract/kernel/operation.ts'
import type { OperationId, Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { type StoreFeature, unsupported } from '../../core/store-features.ts'
import { type FileFormat, OUTPUT_FORMATS, type OutputFormat, render } from '../../output/render.ts'
import { messageText, type Screen, stderrScreen, stdoutScreen } from '../../output/screen.ts'
import type { TableScreen } from '../../output/text-table.ts'
import { hasTimes, type View } from '../../output/view.ts'
import { looseKeys } from '../../profile/config-folder.ts'
import { readProfileFile } from '../../profile/profile-file.ts'
import { resolveSettings, type SettingFlags, type Settings } from '../../profile/settings.ts'
import { withUser } from '../arguments/user-argument.ts'
import { type Pieces, writeStdout } from '../output/output-file.ts'
import type { OnHeaders } from '../output/response-bytes.ts'
import type { ListPage, PagePosition } from '../scripting/all-pages.ts'
import type { Selection } from '../scripting/selection.ts'
import { hasFlag, isGiven, wantsJson } from './command-line.ts'
import { describeFailure } from './failure.ts'
import { asCancellation, listenForInterrupt, restoreTerminal } from './interrupt.ts'
import { engineTime, openService } from './service.ts'
import { sharedFlags } from './shared-flags.ts'
import { readSharedValues, type SharedValues } from './shared-values.ts'
import { asUsageError } from './usage.ts'
import { usageLine } from './usage-line.ts'

/** Returns a command's examples from the texts that follow its name. A text that already contains the command is a whole line. */
export function toExamples(...lines: readonly string[]): string[] {
  return lines.map(line =>
    line.includes('<%= command.id %>') ? line : `<%= config.bin %> <%= command.id %> ${line}`.trimEnd(),
  )
}

export abstract class SvcCommand extends Command {
  static override baseFlags = sharedFlags

  /** The framework's own JSON mode exits with 1 for every error and dumps its configuration, so this class handles both itself. */
  static override enableJsonFlag = false
  /** Advice on missing flags that people may expect here, by flag name. */
  static readonly instead: Readonly<Record<string, string>> = {}

  private shared: SharedValues | undefined
  private openedClient: ServiceClient | undefined
  private settled: Settings | undefined
  private readonly calledOperations = new Set<OperationId>()
  /** Collects the output while --watch compares it with the previous response. */
  private captured: string[] | undefined

  protected override async init(): Promise<void> {
    // Otherwise, a parse error with NODE_ENV=test would also warn that nothing was parsed.
    this.parsed = true
    listenForInterrupt()
  }

  protected override async parse<F extends OutputFlags<F>, B extends OutputFlags<B>, A extends OutputArgs<A>>(
    options?: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    // Otherwise, the framework would read a missing argument from stdin, and an error message could show a piped password.
    for (const arg of Object.values<{ ignoreStdin?: boolean }>(options?.args ?? {})) arg.ignoreStdin = true
    const result = await super.parse(options, argv)
    this.shared = readSharedValues(result)
    return result
  }

  /** The shared flags on the command line itself, excluding environment variables. */
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
   * Returns the client for the service in the settings. It is closed when the command ends. `restoring` is the snapshot that replaces a
   * lost database; only the restore command sets it.
   */
  protected async client(restoring?: string): Promise<ServiceClient> {
    this.openedClient ??= await openService(this.settings, { restoring, note: line => this.hint(line) })
    return this.openedClient
  }

  /**
   * Throws ServiceError `store_unsupported` if the store in the settings does not support the command. A server refuses such a command
   * itself.
   */
  protected refuseUnsupported(feature: StoreFeature): void {
    const { baseUrl, store } = this.settings
    if (baseUrl.value === null && store.value !== null) throw unsupported(feature)
  }

  /**
   * Calls an operation that responds with JSON, or with nothing (204: undefined). Throws ServiceError for every response that is not 2xx.
   */
  protected async ask<K extends OperationId>(
    id: K,
    input: CallerInput<Operations[K]>,
    { onHeaders, ...options }: CallOptions & { readonly onHeaders?: OnHeaders } = {},
  ): Promise<ResponseOf<K>> {
    const client = await this.client()
    this.calledOperations.add(id)
    const reply = await client.call(id, input, options)
    onHeaders?.(reply.headers)
    const { deprecationWarnings } = await import('./deprecation-warning.ts')
    for (const warning of deprecationWarnings(id, input, reply.headers)) this.hint(warning)
    // Only an operation whose body is `undefined` has an empty response.
    if (reply.kind === 'empty') return undefined as ResponseOf<K>
    if (reply.kind !== 'json') throw new ServiceError('bad_response', `The response to ${id} is not JSON.`)
    return reply.body
  }

  /** Calls an operation, prints its response, and returns it. Throws the same errors as `ask`. */
  protected async show<K extends OperationId, Row>(
    id: K,
    input: CallerInput<Operations[K]>,
    viewOf: (response: ResponseOf<K>) => View<Row>,
    options?: CallOptions,
  ): Promise<ResponseOf<K>> {
    const response = await this.ask(id, input, options)
    await this.print(response, viewOf(response))
    return response
  }

  /** Calls `use` with the user_id of USER, which may be a client_user_id. */
  protected async withUser<T>(given: string, use: (userId: string) => Promise<T>): Promise<T> {
    return withUser(await this.client(), given, use)
  }

  /** The output format: --json, --output, or else table on a terminal and json in a pipe. --fields and --jq imply json or ndjson. */
  protected get format(): OutputFormat {
    const { json, output, selection } = this.sharedValues
    if (selection) return output === 'ndjson' && !json ? 'ndjson' : 'json'
    if (json) return 'json'
    return OUTPUT_FORMATS.find(each => each === output) ?? this.defaultFormat
  }

  /** The file format requested by --output, if the command's `outputFlag` has one. `format` is then the format of the summary line. */
  protected get fileFormat(): FileFormat | undefined {
    const { json, output, selection } = this.sharedValues
    return !json && !selection && (output === 'parquet' || output === 'arrow' || output === 'svg') ? output : undefined
  }

  protected get defaultFormat(): OutputFormat {
    return process.stdout.isTTY ? 'table' : 'json'
  }

  /** The value of --safe-csv; false if the command does not have the flag. */
  protected get isSafeCsv(): boolean {
    return this.sharedValues.isSafeCsv
  }

  /**
   * The selection made with --fields or --jq; undefined without these flags. `print` applies it; other ways of printing must apply it
   * themselves.
   */
  protected get selection(): Selection | undefined {
    return this.sharedValues.selection
  }

  protected get isQuiet(): boolean {
    return this.sharedValues.quiet
  }

  /** Returns whether prompts are possible: stdin and stderr are terminals, and --no-input is not set. */
  protected get canAsk(): boolean {
    return !this.sharedValues.noInput && process.stdin.isTTY === true && process.stderr.isTTY === true
  }

  /** Prints a response. json is the body, unchanged; the other formats are rendered from the view. */
  protected async print<Row>(body: unknown, view: View<Row>): Promise<void> {
    const { format } = this
    if (this.selection) return this.write([await this.selected(this.selection, body, view)], 'json')
    const screen = format === 'table' ? await this.tableScreen(hasTimes(view)) : {}
    const { isTerminal } = this.screen()
    const text = await render(format, body, view, { indent: isTerminal, screen, isSafeCsv: this.isSafeCsv })
    await this.write([text], format)
  }

  /** Returns the stdout text of `show` instead of writing it. */
  protected async capture(show: () => Promise<unknown>): Promise<string> {
    this.captured = []
    try {
      await show()
      return this.captured.join('')
    } finally {
      this.captured = undefined
    }
  }

  /**
   * Prints a page of a list or, with --all, every page as one response of the same shape. ndjson is printed page by page, all other formats
   * at the end. Returns the page that was printed last, for hints about the next page.
   */
  protected async printPages<P extends ListPage, Row>(
    isAll: boolean,
    read: (at: PagePosition) => Promise<P>,
    viewOf: (page: P) => View<Row>,
  ): Promise<P> {
    const print = (page: P) => this.print(page, viewOf(page))
    if (isAll) {
      const { printAllPages } = await import('../scripting/all-pages.ts')
      return printAllPages(read, print, this.format === 'ndjson')
    }
    const page = await read({})
    await print(page)
    return page
  }

  private async selected<Row>(selection: Selection, body: unknown, view: View<Row>): Promise<string> {
    const { documentedIn, selectedResponse } = await import('../scripting/selected.ts')
    // A single table row may be the response itself.
    const isOneDocument = view.isOneDocument === true || (view.rows.length === 1 && view.rows[0] === body)
    const isDocumented = documentedIn(this.calledOperations, !isOneDocument)
    const response = { body, records: isOneDocument ? [body] : view.rows, isOneDocument, isDocumented }
    return selectedResponse(selection, response, {
      hasLines: this.format === 'ndjson',
      isTerminal: process.stdout.isTTY === true,
    })
  }

  /** Returns the screen of stdout, or an empty screen if the response goes to the file `out`. */
  protected screen(out?: string): Screen {
    return stdoutScreen(this.sharedValues.wide, out)
  }

  /** Returns the screen for a table. It includes the engine's time if the table has relative times. */
  protected async tableScreen(hasTimes: boolean): Promise<TableScreen> {
    const { isTerminal, isWide, width, color: isColored } = this.screen()
    if (!isTerminal || isWide) return { isColored }
    return { isColored, width, now: hasTimes && this.openedClient ? await engineTime(this.openedClient) : undefined }
  }

  /** Writes a response to stdout. A table that is longer than the terminal goes through the user's pager. */
  protected async write(pieces: Pieces, format: string): Promise<void> {
    if (this.captured !== undefined) {
      for await (const piece of pieces) this.captured.push(piece.toString())
      return
    }
    const { isTerminal, width, height } = this.screen()
    const { noPager, noInput } = this.sharedValues
    if (format === 'table' && isTerminal && width && height && this.isPaged && !noPager && !noInput) {
      const { pagerCommand, writePaged } = await import('../output/pager.ts')
      const command = pagerCommand()
      if (command !== undefined) return writePaged(pieces, { command, width, height })
    }
    await writeStdout(pieces)
  }

  /** Whether long tables may go through a pager; false for commands that show progress. */
  protected readonly isPaged: boolean = true

  /** Writes a line to stderr that is helpful but not essential; --quiet suppresses it. */
  protected hint(line: string): void {
    if (this.isQuiet) return
    const text = `${messageText(line, stderrScreen())}\n`
    if (this.captured === undefined) process.stderr.write(text)
    else if (process.stdout.isTTY) this.captured.push(text)
  }

  protected override async catch(thrown: Error): Promise<void> {
    restoreTerminal()
    const own = this.ctor.flags ?? {}
    const args = this.ctor.args ?? {}
    const flags = Object.keys(own)
    const error = asUsageError(asCancellation(thrown) as Error, {
      command: this.commandName,
      flags: [...flags, ...Object.keys(sharedFlags)],
      missing: flags.filter(name => own[name]?.required && !isGiven(this.argv, name)),
      instead: (this.constructor as typeof SvcCommand).instead,
      usage: usageLine({ id: this.id ?? '', args, flags: own }),
    })
    const failure = describeFailure(error, {
      json: wantsJson(this.argv),
      debug: hasFlag(this.argv, 'debug', 'SVC_DEBUG'),
      flags,
      args: Object.keys(args),
      argumentHelp: Object.fromEntries(Object.entries(args).map(([name, { description }]) => [name, description])),
      argv: this.argv,
      screen: stderrScreen(),
    })
    process.exitCode = failure.exitCode
    process.stderr.write(failure.text)
  }

  protected override async finally(): Promise<void> {
    await this.openedClient?.close()
  }

  /** The command name, such as `user create`. */
  protected get commandName(): string {
    return (this.id ?? '').replaceAll(':', ' ')
  }

  /** The shared flags of the parsed command line. */
  protected get sharedValues(): SharedValues {
    if (!this.shared) throw new Error('the command line is not parsed yet')
    return this.shared
  }
}
