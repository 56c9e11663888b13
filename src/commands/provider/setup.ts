/** `svc provider setup`. */
import { readFile } from 'node:fs/promises'
import { boolean, string } from '@oclif/core/flags'
import { liveProviderArgument } from '../../cli/arguments/arguments.ts'
import { namedValues } from '../../cli/arguments/named-values.ts'
import { oauthAppView } from '../../cli/providers/oauth-app-view.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { askSecret } from '../../cli/runtime/prompt.ts'
import { resolveReadable } from '../../cli/runtime/readable-file.ts'
import { repeatable } from '../../cli/runtime/shared-flags.ts'
import { readSecretLine } from '../../cli/runtime/standard-input.ts'
import { ServiceError } from '../../core/errors.ts'

export default class ProviderSetup extends SvcCommand {
  static override summary = "Connect a provider's real API, using your own OAuth app"
  static override description =
    'From then on, new connections of the team get real data. Simulated connections stay simulated. The redirect ' +
    'URL must exactly match the one registered at the provider; without --redirect-url, it is ' +
    '/oauth/PROVIDER/callback on the public URL of the server. To link on a terminal without a server, register a ' +
    'URL on this machine, such as http://localhost:8484/callback. The client secret is read from stdin or from a ' +
    'prompt, and is stored encrypted. Running the command again replaces the OAuth app; connections are kept. `svc ' +
    'docs live-providers` has the steps for each provider.'
  static override examples = toExamples(
    'oura --client-id 5XK2 --redirect-url http://localhost:8484/callback',
    'pass show withings | <%= config.bin %> <%= command.id %> withings --client-id 83ab --client-secret-stdin',
    'google_health --client-id 123456789012-x7.apps.googleusercontent.com --service-account key.json',
    'dexcom_v3 --client-id 83ab --api-url https://sandbox-api.dexcom.com --keep-raw',
  )
  static override args = { provider: liveProviderArgument() }
  static override flags = {
    'client-id': string({ description: 'Client ID of the OAuth app', required: true, helpValue: 'ID' }),
    'client-secret-stdin': boolean({ description: 'Read the client secret from stdin' }),
    'redirect-url': string({ description: 'Redirect URL registered at the provider', helpValue: 'URL' }),
    scope: string({
      description: 'Request only this scope; can be repeated; defaults to all scopes that svc uses',
      ...repeatable,
      helpValue: 'NAME',
    }),
    'authorize-url': string({ description: 'URL of the consent page, if not the default', helpValue: 'URL' }),
    'token-url': string({ description: 'URL that exchanges and refreshes tokens', helpValue: 'URL' }),
    'api-url': string({ description: 'URL of the API', helpValue: 'URL' }),
    setting: string({
      description: 'Provider setting; can be repeated',
      ...repeatable,
      helpValue: 'NAME=VALUE',
    }),
    'service-account': string({
      description: 'JSON key file of the service account that manages subscriptions at Google Health',
      helpValue: 'FILE',
    }),
    'keep-raw': boolean({ description: "Keep the provider's responses, encrypted, for 30 days" }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProviderSetup)
    const { provider } = args
    // checks that the provider can be live before prompting for a secret
    await this.ask('provider.status', { query: { provider, limit: 1 } })
    const settings = flags.setting && namedValues('--setting', flags.setting)
    const file = flags['service-account']
    const body = {
      client_id: flags['client-id'],
      service_account: file && (await readFile(await resolveReadable(file), 'utf8')),
      client_secret: await this.secret(flags['client-secret-stdin']),
      redirect_url: flags['redirect-url'],
      scopes: flags.scope,
      authorize_url: flags['authorize-url'],
      token_url: flags['token-url'],
      api_url: flags['api-url'],
      settings,
      keep_raw: flags['keep-raw'],
    }
    const app = await this.show('provider.setup', { params: { provider }, body }, oauthAppView)
    for (const note of app.notes) this.hint(note)
    this.hint(`To link a user: svc link oauth ${app.provider} --user USER`)
  }

  private async secret(isPiped: boolean): Promise<string> {
    if (isPiped) return readSecretLine('--client-secret-stdin')
    if (this.canAsk) return askSecret('Client secret')
    throw new ServiceError('missing_input', 'The client secret is missing, and there is no terminal to prompt on.', {
      suggestions: ['Give --client-secret-stdin and write the secret to stdin: `… --client-secret-stdin < FILE`.'],
    })
  }
}
