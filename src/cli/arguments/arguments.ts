/** Arguments that several commands share. */
import { string as stringArg } from '@oclif/core/args'

/** USER: a user_id or a client_user_id. */
export const userArgument = () => stringArg({ required: true, description: 'User, as user_id or client_user_id' })

/** RESOURCE: the REST name of a timeseries resource. */
export const resourceArgument = () =>
  stringArg({
    required: true,
    description: 'Timeseries resource such as steps; see `svc timeseries resources`',
  })

/** PROVIDER: the slug of a provider. */
export const providerArgument = () =>
  stringArg({ required: true, description: 'Provider slug; see `svc provider list`' })

/** PROVIDER: the slug of a provider that supports live mode. */
export const liveProviderArgument = () =>
  stringArg({ required: true, description: 'Provider that can be live, such as oura; see `svc docs live-providers`' })

/** Like `providerArgument`, but optional, because the command can prompt for it. */
export const optionalProviderArgument = () =>
  stringArg({ description: 'Provider slug from `svc provider list`; if omitted on a terminal, svc prompts for it' })

/** ORDER: the ID of a lab order. */
export const orderArgument = () => stringArg({ required: true, description: 'Order ID from `svc order list`' })
