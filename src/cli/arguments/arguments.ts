/** Arguments that several commands take. */
import { string as stringArg } from '@oclif/core/args'

/** USER: a user_id or a client_user_id. */
export const userArgument = () => stringArg({ required: true, description: 'user_id or client_user_id' })

/** RESOURCE: the REST name of a timeseries resource. */
export const resourceArgument = () =>
  stringArg({
    required: true,
    description: 'timeseries resource such as steps (`svc timeseries resources` lists them)',
  })

/** PROVIDER: the slug of a provider. */
export const providerArgument = () =>
  stringArg({ required: true, description: 'slug of the provider (`svc provider list` shows them)' })

/** The same, where it is asked for on a terminal when it is missing. */
export const optionalProviderArgument = () =>
  stringArg({ description: 'slug of the provider; asked for on a terminal (`svc provider list` shows them)' })

/** ORDER: the id of a lab order. */
export const orderArgument = () =>
  stringArg({ required: true, description: 'id of the order (`svc order list` shows them)' })
