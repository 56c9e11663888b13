/** `svc event verify`. */
import { string } from '@oclif/core/flags'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { withDash } from '../../cli/webhooks/endpoint-flags.ts'
import { verifyByHand } from '../../cli/webhooks/hand-signature.ts'
import { parseHeaders } from '../../cli/webhooks/header-file.ts'
import { neededSecret, secretFlags } from '../../cli/webhooks/signing-secret.ts'
import { checkStdinOnce, isStdin, readBytes } from '../../cli/webhooks/webhook-files.ts'
import { ServiceError } from '../../core/errors.ts'
import { parseDuration } from '../../core/time.ts'
import { factSheet } from '../../output/view.ts'

export default class EventVerify extends SvcCommand {
  static override summary = 'Check a delivery by hand: its signature and its age, with the reason when it fails'
  static override description =
    'Needs no server and no engine. The headers are lines "name: value" (what curl -v prints will do) or JSON; the body has to ' +
    'be the very bytes that arrived. Without a flag for it the secret is taken from SVC_WEBHOOK_SECRET. Ends with 5 when the ' +
    'delivery does not pass.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> --headers headers.txt --body body.json --secret-stdin < secret.txt',
    '<%= config.bin %> <%= command.id %> --headers headers.json --body - --tolerance none < body.json',
  ]
  static override flags = {
    headers: string({ description: 'file of the headers, or - for stdin', required: true, helpValue: 'FILE' }),
    body: string({ description: 'file of the body, or - for stdin', required: true, helpValue: 'FILE' }),
    ...secretFlags(),
    tolerance: string({
      description: 'how far the timestamp may be from now, or none',
      default: '5m',
      helpValue: '5m',
    }),
    'header-prefix': string({
      description: 'what the three headers begin with (default: webhook-, else what is there)',
      helpValue: 'PREFIX',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(EventVerify)
    const toleranceSeconds = toleranceOf(flags.tolerance)
    checkStdinOnce({
      '--headers -': isStdin(flags.headers),
      '--body -': isStdin(flags.body),
      '--secret-stdin': flags['secret-stdin'],
    })
    const headers = parseHeaders(Buffer.from(await readBytes(flags.headers, '--headers')).toString('utf8'))
    const body = await readBytes(flags.body, '--body')
    const secret = await neededSecret(flags, this.canAsk)
    const prefix = flags['header-prefix']
    const headerPrefix = prefix === undefined ? undefined : withDash(prefix)
    const facts = verifyByHand({ headers, body, secret, toleranceSeconds, headerPrefix })
    await this.print(facts, factSheet(facts))
  }
}

/** Seconds; 0: the timestamp is not looked at. */
function toleranceOf(given: string): number {
  if (given === 'none') return 0
  const ms = parseDuration(given)
  if (ms !== undefined && ms > 0) return Math.round(ms / 1000)
  throw new ServiceError('usage', '--tolerance takes a duration such as 30s or 5m, or none.')
}
