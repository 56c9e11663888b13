/** Seals and opens an app's subscription data: the secret issued by the provider, and the URL that receives the notifications. */
import type { TeamId } from '../../../core/ids.ts'
import type { SubscriptionRecord } from '../../../store/live/subscriptions.ts'
import type { EngineContext } from '../../context.ts'
import { NONCE_BYTES, Sealing } from '../../sealing.ts'

export interface SubscriptionSecrets {
  readonly callbackUrl: string
  readonly secret: string | null
}

type Owner = Pick<SubscriptionRecord, 'teamId' | 'provider' | 'name'>

const sealing = new Sealing('provider subscriptions')

export function sealSubscription(
  engine: Pick<EngineContext, 'masterKey' | 'random'>,
  owner: Owner,
  secrets: SubscriptionSecrets,
): Uint8Array {
  const plain = Buffer.from(JSON.stringify(secrets))
  return sealing.seal(engine, boundTo(owner), plain, engine.random.bytes(NONCE_BYTES))
}

/** Returns the sealed data, or null if there is none or if it was sealed under another master key. */
export function openSubscription(
  engine: Pick<EngineContext, 'masterKey'>,
  record: SubscriptionRecord,
): SubscriptionSecrets | null {
  if (record.sealed === null) return null
  try {
    // the text was written by `sealSubscription`
    return JSON.parse(sealing.open(engine, boundTo(record), record.sealed).toString()) as SubscriptionSecrets
  } catch {
    return null
  }
}

/** Returns the secrets that a provider issued with an OAuth app's subscriptions. */
export async function issuedSecrets(
  engine: EngineContext,
  { teamId, provider }: { readonly teamId: TeamId; readonly provider: string },
): Promise<readonly string[]> {
  const records = await engine.store.live.subscriptions.list(teamId, provider)
  return records.flatMap(record => openSubscription(engine, record)?.secret ?? [])
}

function boundTo({ teamId, provider, name }: Owner): string {
  return `${teamId}\0${provider}\0${name}`
}
