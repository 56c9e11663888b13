/** `svc event sign`. */
import { string } from '@oclif/core/flags'
import { parsePeriod, WHEN_HELP } from '../../cli/arguments/when.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { withDash } from '../../cli/webhooks/endpoint-flags.ts'
import { signByHand } from '../../cli/webhooks/hand-signature.ts'
import { requireSecret, secretFlags } from '../../cli/webhooks/signing-secret.ts'
import { checkStdinOnce, isStdin, readBytes, writeHeaders } from '../../cli/webhooks/webhook-files.ts'
import { ServiceError } from '../../core/errors.ts'
import { randomUuid, systemRandom } from '../../core/random.ts'
import { parseDateTime } from '../../core/time.ts'
import { factSheet } from '../../output/view.ts'

export default class EventSign extends SvcCommand {
  static override summary = 'Sign a webhook body and print the headers'
  static override description =
    'Needs no server and no engine. Without a flag, the secret is read from SVC_WEBHOOK_SECRET. --headers-to ' +
    'writes lines that curl and `svc event verify` can read.'
  static override examples = toExamples(
    '--body body.json --secret-stdin < secret.txt',
    '--body body.json --headers-to headers.txt && curl -H @headers.txt --data-binary @body.json http://localhost:3000/hooks',
  )
  static override flags = {
    body: string({ description: 'File with the body; - reads stdin', required: true, helpValue: 'FILE' }),
    ...secretFlags(),
    id: string({ description: 'Event ID; defaults to a random one', helpValue: 'ID' }),
    timestamp: string({
      description: `Timestamp in Unix seconds, a date-time with an offset, or ${WHEN_HELP}, in UTC; defaults to now`,
      helpValue: 'WHEN',
    }),
    'header-prefix': string({
      description: 'Also print headers with this prefix, for example svix',
      helpValue: 'PREFIX',
    }),
    'headers-to': string({ description: 'Also write the headers to this file', helpValue: 'FILE' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(EventSign)
    const timestamp = parseSeconds(flags.timestamp)
    const id = flags.id ?? randomUuid(systemRandom)
    if (!/^[\x21-\x7e]{1,256}$/.test(id)) {
      throw new ServiceError('usage', '--id must be 1 to 256 printable ASCII characters without spaces.')
    }
    checkStdinOnce({ '--body -': isStdin(flags.body), '--secret-stdin': flags['secret-stdin'] })
    const body = await readBytes(flags.body, '--body')
    const secret = await requireSecret(flags, this.canAsk)
    const prefix = flags['header-prefix'] === undefined ? undefined : withDash(flags['header-prefix'])
    const headers = signByHand({ id, timestamp, body }, secret, prefix)
    if (flags['headers-to'] !== undefined) await writeHeaders(flags['headers-to'], headers)
    await this.print(headers, factSheet(headers))
  }
}

function parseSeconds(given: string | undefined): number {
  if (given === undefined) return Math.floor(Date.now() / 1000)
  if (/^\d{1,12}$/.test(given)) return Number(given)
  // uses this machine's clock and UTC, because there is no engine and no user
  const period = parseDateTime(given)?.offset === 'floating' ? undefined : parsePeriod(given, Date.now(), 'UTC')
  if (period) return Math.floor(period.first / 1000)
  throw new ServiceError(
    'usage',
    `--timestamp must be seconds since 1970, a date-time with an offset such as 2026-11-20T12:00:00Z, or one of ${WHEN_HELP}.`,
  )
}
