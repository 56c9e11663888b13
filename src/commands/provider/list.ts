/** `svc provider list`. */
import { boolean, string } from '@oclif/core/flags'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { fields, ranked, view } from '../../output/view.ts'

type Listed = ReplyBody<Operations['provider.list']>[number]

export default class ProviderList extends WatchedCommand {
  static override summary = "List all providers, or a user's connections"
  static override description =
    'The mode column shows where data comes from: live providers were set up with `svc provider setup`, and all ' +
    'others are simulated. With --kinds, it lists the kinds of values that each provider supplies, for resources with ' +
    'several kinds. For connections, the available column counts the resources that deliver data; json ' +
    'lists them.'
  static override examples = toExamples('', '--auth-type password', '--kinds', '--user ada')
  static override flags = {
    user: string({ description: "Show this user's connections", helpValue: 'USER' }),
    'auth-type': string({
      description: 'Only providers with this sign-in method: password, oauth, email …',
      exclusive: ['user'],
      helpValue: 'TYPE',
    }),
    kinds: boolean({ description: 'Show the kinds of values that each provider supplies', exclusive: ['user'] }),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(ProviderList)
    if (flags.user === undefined) await this.listAll(flags['auth-type'], flags.kinds)
    else await this.showForUser(flags.user)
  }

  private async listAll(authType: string | undefined, showsKinds: boolean): Promise<void> {
    const all = await this.ask('provider.list', {})
    const providers = authType === undefined ? all : all.filter(each => each.auth_type === authType)
    if (authType !== undefined && providers.length === 0) {
      const types = [...new Set(all.map(each => each.auth_type).filter(type => type !== ''))].sort()
      throw new ServiceError('usage', `No provider has the auth type "${authType}".${didYouMean(authType, types)}`, {
        suggestions: [`Auth types: ${types.join(', ')}.`],
      })
    }
    if (showsKinds) {
      await this.showKinds(providers)
      return
    }
    await this.print(
      providers,
      ranked(
        ['slug', 'name', 'auth_type', 'mode', 'resources'],
        view(providers, {
          ...fields<(typeof providers)[number]>('slug', 'name', 'auth_type', 'mode'),
          regions: each => (each.regions ?? []).join(' '),
          resources: each => each.supported_resources.length,
        }),
      ),
    )
  }

  private async showKinds(providers: readonly Listed[]): Promise<void> {
    const rows = providers.flatMap(({ slug, mode, value_kinds }) =>
      Object.entries(value_kinds).map(([resource, kinds]) => ({ slug, mode, resource, kinds })),
    )
    await this.print(
      rows,
      view(
        rows,
        { ...fields<(typeof rows)[number]>('slug', 'mode', 'resource'), kinds: each => each.kinds.join(' ') },
        'None of these providers supplies a resource with several kinds of values.',
      ),
    )
  }

  private async showForUser(user: string): Promise<void> {
    const body = await this.withUser(user, user_id => this.ask('user.providers', { params: { user_id } }))
    await this.print(
      body,
      ranked(
        ['slug', 'status', 'error', 'mode', 'available', 'created_on', 'name'],
        view(
          body.providers,
          {
            ...fields<(typeof body.providers)[number]>('slug', 'name', 'status', 'mode', 'created_on'),
            available: each => countAvailable(each.resource_availability),
            error: each => each.error_details?.error_type,
          },
          'No connections. Link a provider with `svc link password PROVIDER --user USER`.',
        ),
      ),
    )
  }
}

/** Returns the number of available resources. json lists the resources. */
function countAvailable(resources: Readonly<Record<string, { readonly status: string }>>): number {
  return Object.values(resources).filter(({ status }) => status === 'available').length
}
