/** `svc event verify`. */
import { string } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { withDash } from '../../cli/webhooks/endpoint-flags.ts'
import { verifyByHand } from '../../cli/webhooks/hand-signature.ts'
import { parseHeaders } from '../../cli/webhooks/header-file.ts'
import { requireSecret, secretFlags } from '../../cli/webhooks/signing-secret.ts'
import { checkStdinOnce, isStdin, readBytes } from '../../cli/webhooks/webhook-files.ts'
import { ServiceError } from '../../core/errors.ts'
import { parseDuration } from '../../core/time.ts'
import { factSheet } from '../../output/view.ts'

export default class EventVerify extends SvcCommand {
  static override summary = 'Verify the signature and age of a delivery'
  static override description =
    'Needs no server and no engine. Headers are lines "name: value" (the output of curl -v works) or JSON. The body ' +
    'must be the exact bytes that arrived. Without a flag, the secret is read from SVC_WEBHOOK_SECRET. If ' +
    'verification fails, the command prints the reason and exits with code 5.'
  static override examples = toExamples(
    '--headers headers.txt --body body.json --secret-stdin < secret.txt',
    '--headers headers.json --body - --tolerance none < body.json',
  )
  static override flags = {
    headers: string({ description: 'File with the headers; - reads stdin', required: true, helpValue: 'FILE' }),
    body: string({ description: 'File with the body; - reads stdin', required: true, helpValue: 'FILE' }),
    ...secretFlags(),
    tolerance: string({
      description: 'Maximum age of the timestamp, or none',
      default: '5m',
      helpValue: '5m',
    }),
    'header-prefix': string({
      description: 'Prefix of the three headers; defaults to webhook-, or else to the prefix in the headers',
      helpValue: 'PREFIX',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(EventVerify)
    const toleranceSeconds = parseTolerance(flags.tolerance)
    checkStdinOnce({
      '--headers -': isStdin(flags.headers),
      '--body -': isStdin(flags.body),
      '--secret-stdin': flags['secret-stdin'],
    })
    const headers = parseHeaders(Buffer.from(await readBytes(flags.headers, '--headers')).toString('utf8'))
    const body = await readBytes(flags.body, '--body')
    const secret = await requireSecret(flags, this.canAsk)
    const prefix = flags['header-prefix']
    const headerPrefix = prefix === undefined ? undefined : withDash(prefix)
    const facts = verifyByHand({ headers, body, secret, toleranceSeconds, headerPrefix })
    await this.print(facts, factSheet(facts))
  }
}

/** Returns the tolerance in seconds; 0 skips the timestamp check. */
function parseTolerance(given: string): number {
  if (given === 'none') return 0
  const ms = parseDuration(given)
  if (ms !== undefined && ms > 0) return Math.round(ms / 1000)
  throw new ServiceError('usage', '--tolerance must be a duration such as 30s or 5m, or none.')
}
