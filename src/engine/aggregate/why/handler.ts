/** Serves the operation `aggregate.why`. */
import { WHY_TYPE } from '../../../contract/aggregates/why.ts'
import { keyId, publicJwk, signDetached } from '../../../core/detached-signature.ts'
import { NO_ORDERS } from '../../../store/source-order.ts'
import { type Handler, ok } from '../../context.ts'
import { storeKey } from '../../signing/store-key.ts'
import { activeUser } from '../../users/users.ts'
import { explainNumber } from './why.ts'

export const aggregateWhy: Handler<'aggregate.why'> = async (engine, { params, query }, call) => {
  const { team, now, signal } = call
  const { teamId, queryDefaults: defaults } = team
  const user = await activeUser(engine, teamId, params.user_id)
  const { store, providers } = engine
  const { userId } = user
  const mayMerge = query.merge ?? defaults.merges
  const asked = {
    ...{ now, providers, defaults, signal },
    priorities: await store.priorities.ofTeam(teamId),
    orders: mayMerge ? await store.sourceOrders.ofUser(teamId, userId) : NO_ORDERS,
  }
  const origins = { store, teamId, userId, signal }
  const who = { userId, fallbackTimeZone: user.fallbackTimeZone?.value ?? null }
  const document = await explainNumber({ source: store, origins }, who, query, asked)
  const key = storeKey(engine)
  const signature = { kid: keyId(publicJwk(key)), jws: signDetached(document, key, WHY_TYPE) }
  return ok({ ...document, signature })
}
