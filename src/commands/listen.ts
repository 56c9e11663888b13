/** `svc listen`. */
import { boolean, string } from '@oclif/core/flags'
import { sinceTime } from '../cli/arguments/since-time.ts'
import { eventFilter } from '../cli/listen/event-filter.ts'
import { bindKeys, KEY_HELP } from '../cli/listen/keys.ts'
import { pageQuery } from '../cli/listen/page-query.ts'
import { openScreen } from '../cli/listen/screen.ts'
import { ListenSession } from '../cli/listen/session.ts'
import { listenForStop } from '../cli/listen/stop.ts'
import { openTarget } from '../cli/listen/target.ts'
import { SvcCommand } from '../cli/runtime/base-command.ts'
import { targetFlags, targetOptions } from '../cli/webhooks/target-flags.ts'
import { listenSecret } from '../cli/webhooks/webhook-secret.ts'
import type { OutputFormat } from '../output/render.ts'
import { factSheet } from '../output/view.ts'

/** Between two looks at what is new. */
const IDLE_MS = { embedded: 200, server: 500 }

export default class Listen extends SvcCommand {
  static override summary = 'Show events as they happen, and forward them to a handler of yours'
  static override description =
    'Each is sent as an endpoint would get it, signed with a secret that stays the same for a data folder or profile ' +
    '(--print-secret; SVC_WEBHOOK_SECRET brings another). What the handler does not answer with 2xx within 15 s is tried ' +
    'again, up to eight times; while nothing listens there, events wait. It needs no server and no endpoint, and waits for a ' +
    'server that goes away. In a pipe it writes a line of JSON for each attempt. Ctrl-C ends it with a summary.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> --forward-to http://localhost:3000/hooks',
    "<%= config.bin %> <%= command.id %> --forward-to http://localhost:3000/hooks --events 'daily.data.*,provider.*'",
    'WEBHOOK_SECRET=$(<%= config.bin %> <%= command.id %> --print-secret) node server.js',
    '<%= config.bin %> <%= command.id %> --since 10m --payload --json | jq .payload.event_type',
  ]
  static override flags = {
    'forward-to': string({ description: 'where to send events; without it they are only shown', helpValue: 'URL' }),
    events: string({
      description: 'only these event types, * for any characters; repeat it, or use commas',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'PATTERN',
    }),
    user: string({ description: 'only events of this user', helpValue: 'USER' }),
    since: string({ description: 'begin with events of then: a time, or 10m, 2h, 7d before now', helpValue: 'WHEN' }),
    payload: boolean({ description: 'show the body of each event too' }),
    'print-secret': boolean({ description: 'print the signing secret, and end' }),
    ...targetFlags(),
  }

  private isSecretAsked = false

  async run(): Promise<void> {
    const { flags } = await this.parse(Listen)
    this.isSecretAsked = flags['print-secret']
    if (flags['print-secret']) return this.printSecret()
    const type = eventFilter(flags.events)
    const secret = () => listenSecret(this.settings)
    const target = await openTarget(flags['forward-to'], {
      secret,
      version: this.config.version,
      ...targetOptions(flags),
    })
    const user =
      flags.user === undefined
        ? undefined
        : await this.withUser(flags.user, user_id => this.ask('user.get', { params: { user_id } }))
    const since = flags.since === undefined ? undefined : await sinceTime(flags.since, () => this.ask('clock.get', {}))
    const filters = { type, user_id: user?.user_id, since }
    const screen = openScreen({ format: this.format, withPayload: flags.payload, remark: line => this.hint(line) })
    const stop = listenForStop()
    const session = new ListenSession({
      page: at => this.ask('event.list', { query: pageQuery(at, filters) }, { signal: stop.signal }),
      payload: async event_id => (await this.ask('event.get', { params: { event_id } })).payload,
      target,
      ...screen,
      idleMs: this.settings.baseUrl.value === null ? IDLE_MS.embedded : IDLE_MS.server,
      chance: Math.random,
      signal: stop.signal,
    })
    const hasKeys = this.canAsk && process.stdout.isTTY && this.format === 'table'
    const unbind = hasKeys ? bindKeys({ session, board: screen.board, stop: stop.ask }) : null
    try {
      await session.run(hasKeys ? KEY_HELP : 'Ctrl-C ends it')
    } finally {
      unbind?.()
      stop.release()
      await target?.poster.close()
    }
  }

  /** Bare, so that a shell can take it up: as JSON only where that was asked for. */
  private async printSecret(): Promise<void> {
    const secret = listenSecret(this.settings)
    if (this.format === 'table') process.stdout.write(`${secret}\n`)
    else await this.print({ secret }, factSheet({ secret }))
  }

  protected override get defaultFormat(): OutputFormat {
    return this.isSecretAsked ? 'table' : super.defaultFormat
  }
}
