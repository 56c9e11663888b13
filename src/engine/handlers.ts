/** The handler of every operation: complete, because the type asks for it. */
import type { OperationId } from '../contract/operations.ts'
import { aggregateQuery } from './aggregate.ts'
import { getClock, setClock } from './clock.ts'
import type { Handler } from './context.ts'
import { createImport } from './imports.ts'
import { listLabs, listMarkers } from './labs.ts'
import { createLinkToken } from './link-tokens.ts'
import { completeMfa, completeMfaForUser, linkPassword } from './links.ts'
import { listProviders, userProviders } from './providers.ts'
import { whoami } from './teams.ts'
import { groupedTimeseries } from './timeseries.ts'
import { createUser, deleteUser, getUser, listUsers, resolveUser, undoDeleteUser } from './users.ts'

export const handlers: { readonly [K in OperationId]: Handler<K> } = {
  'user.create': createUser,
  'user.list': listUsers,
  'user.get': getUser,
  'user.resolve': resolveUser,
  'user.delete': deleteUser,
  'user.undo_delete': undoDeleteUser,
  'user.providers': userProviders,
  'provider.list': listProviders,
  'link.token': createLinkToken,
  'link.password': linkPassword,
  'link.complete_mfa': completeMfa,
  'link.complete_mfa_for_user': completeMfaForUser,
  'timeseries.grouped': groupedTimeseries,
  'aggregate.query': aggregateQuery,
  'labs.list': listLabs,
  'labs.markers': listMarkers,
  'import.create': createImport,
  'clock.get': getClock,
  'clock.set': setClock,
  'team.whoami': whoami,
}
