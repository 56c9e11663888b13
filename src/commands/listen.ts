/** `svc listen`. */
import { boolean, string } from '@oclif/core/flags'
import { dateReader } from '../cli/arguments/dates.ts'
import { WHEN_HELP } from '../cli/arguments/when.ts'
import { eventFilter } from '../cli/listen/event-filter.ts'
import { exampleRecord } from '../cli/listen/event-line.ts'
import { bindKeys, KEY_HELP } from '../cli/listen/keys.ts'
import { pageQuery } from '../cli/listen/page-query.ts'
import { openScreen } from '../cli/listen/screen.ts'
import { ListenSession } from '../cli/listen/session.ts'
import { listenForStop } from '../cli/listen/stop.ts'
import { openTarget } from '../cli/listen/target.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { repeatable } from '../cli/runtime/shared-flags.ts'
import { targetFlags, targetOptions } from '../cli/webhooks/target-flags.ts'
import { listenSecret } from '../cli/webhooks/webhook-secret.ts'
import { systemTime } from '../core/clock.ts'
import { ServiceError } from '../core/errors.ts'
import { systemRandom } from '../core/random.ts'
import type { OutputFormat } from '../output/render.ts'
import { factSheet } from '../output/view.ts'

/** Wait between two requests for new events. */
const IDLE_MS = { embedded: 200, server: 500 }

export default class Listen extends SvcCommand {
  static override summary = 'Show events as they happen and forward them to a local handler'
  static override description =
    'Sends events as an endpoint would receive them, signed with a secret that stays the same for a data folder or ' +
    'profile (--print-secret shows it; SVC_WEBHOOK_SECRET overrides it). An event gets up to eight attempts until ' +
    'the handler responds with 2xx within 15 s; while nothing listens at the URL, events wait. Needs no server and no ' +
    'endpoint. If a server stops, the command waits for it. In a pipe, writes one line of JSON for each ' +
    'attempt. Ctrl-C stops and prints a summary.'
  static override examples = toExamples(
    '--forward-to http://localhost:3000/hooks',
    "--forward-to http://localhost:3000/hooks --events 'daily.data.*,provider.*'",
    'WEBHOOK_SECRET=$(<%= config.bin %> <%= command.id %> --print-secret) node server.js',
    '--since 10m --payload --json | jq .payload.event_type',
  )
  static override flags = {
    'forward-to': string({ description: 'URL to send events to; if omitted, events are only shown', helpValue: 'URL' }),
    events: string({
      description: 'Only these event types, with * for any characters; comma-separated or repeated',
      ...repeatable,
      helpValue: 'PATTERN',
    }),
    user: string({ description: 'Only events of this user', helpValue: 'USER' }),
    since: string({
      description: `Start with events since this time: ${WHEN_HELP}`,
      helpValue: 'WHEN',
    }),
    payload: boolean({ description: 'Also show the body of each event' }),
    'print-secret': boolean({ description: 'Print the signing secret and exit' }),
    ...targetFlags(),
  }

  private wantsSecret = false

  async run(): Promise<void> {
    const { flags } = await this.parse(Listen)
    this.wantsSecret = flags['print-secret']
    if (flags['print-secret']) return this.printSecret()
    const type = eventFilter(flags.events)
    const secret = () => listenSecret(this.settings)
    const target = await openTarget(flags['forward-to'], {
      secret,
      version: this.config.version,
      time: systemTime,
      ...targetOptions(flags),
    })
    const user =
      flags.user === undefined
        ? undefined
        : await this.withUser(flags.user, user_id => this.ask('user.get', { params: { user_id } }))
    const since = await dateReader(await this.client(), user?.user_id)('start', '--since', flags.since)
    const filters = { type, user_id: user?.user_id, since }
    const screen = openScreen({
      format: this.format,
      withPayload: flags.payload,
      remark: line => this.hint(line),
      select: await this.selector(flags.payload),
    })
    const stop = listenForStop()
    const session = new ListenSession({
      page: at => this.ask('event.list', { query: pageQuery(at, filters) }, { signal: stop.signal }),
      payload: async event_id => (await this.ask('event.get', { params: { event_id } })).payload,
      target,
      ...screen,
      idleMs: this.settings.baseUrl.value === null ? IDLE_MS.embedded : IDLE_MS.server,
      random: systemRandom,
      signal: stop.signal,
    })
    const hasKeys = this.canAsk && process.stdout.isTTY && this.format === 'table'
    const unbind = hasKeys ? bindKeys({ session, board: screen.board, stop: stop.ask, cancel: stop.cancel }) : null
    try {
      await session.run(hasKeys ? KEY_HELP : 'Press Ctrl-C to stop')
    } finally {
      unbind?.()
      stop.release()
      await target?.poster.close()
    }
    if (stop.isCancelled) throw new ServiceError('cancelled', 'Cancelled.')
  }

  /** Returns the output of --fields or --jq for each event. */
  private async selector(withPayload: boolean): Promise<((record: object) => string) | undefined> {
    if (!this.selection) return undefined
    const { lineSelector } = await import('../cli/scripting/selected.ts')
    return lineSelector(this.selection, process.stdout.isTTY === true, exampleRecord(withPayload))
  }

  /** Prints the secret alone, so that a shell can use it, or as JSON if JSON was requested. */
  private async printSecret(): Promise<void> {
    const secret = listenSecret(this.settings)
    if (this.format === 'table') process.stdout.write(`${secret}\n`)
    else await this.print({ secret }, factSheet({ secret }))
  }

  protected override get defaultFormat(): OutputFormat {
    return this.wantsSecret ? 'table' : super.defaultFormat
  }
}
