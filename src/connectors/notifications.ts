/** The contract for reading a provider's incoming requests: handshakes, and notifications about new data. */

import type { AppSession, ProviderApp } from './provider-session.ts'
import type { PullWindow } from './pull-window.ts'

/** A request that arrived at an OAuth app's notification URL. */
export interface IncomingNotification {
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** Returns a header by its name in lower case, or null. */
  header(name: string): string | null
  readonly query: URLSearchParams
  /** The original bytes, which signatures are calculated over. */
  readonly body: Uint8Array
  /** Real time in epoch milliseconds. */
  readonly receivedAt: number
}

/** An OAuth app's secrets for verifying notifications. */
export interface NotificationSecrets {
  readonly clientSecret: string
  /** Random text created with the OAuth app, for handshakes and header secrets. */
  readonly verificationToken: string
  /** Returns the secrets that the provider issued with subscriptions. */
  readonly issued: () => Promise<readonly string[]>
}

/** The subject of an event. */
export type Hint =
  /** New or changed data in a window of a collection. */
  | { readonly kind: 'window'; readonly collection: string; readonly window: PullWindow }
  /** A record that is new or changed. */
  | { readonly kind: 'record'; readonly collection: string; readonly recordId: string }
  | { readonly kind: 'deleted'; readonly collection: string; readonly recordId: string }
  /** The person ended access at the provider. */
  | { readonly kind: 'revoked' }

export interface NotifiedEvent {
  /** Identifies an event: the same for every repetition, and different for other events. */
  readonly eventId: string
  /** The provider's ID for the person. */
  readonly accountId: string
  readonly hints: readonly Hint[]
}

export type Reception =
  /** A handshake or a ping. It receives a response and has no other effect. */
  | { readonly kind: 'answered'; readonly status: number; readonly type?: string; readonly body?: string }
  /** A genuine notification. It is queued and receives a response with this status. */
  | { readonly kind: 'received'; readonly status: number; readonly events: readonly NotifiedEvent[] }
  /**
   * A notification that is not genuine or too old. It is counted and receives a response with this status. `reason` never contains a value.
   */
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }

/** A subscription that should exist at the provider. */
export interface WantedSubscription {
  /** Unique within the OAuth app, or within the connection: `update:sleep`. */
  readonly name: string
}

export interface Subscription {
  /** The provider's ID for the subscription, or ''. */
  readonly remoteId: string
  /** When the subscription ends unless it is renewed, in real time; null if it never ends. */
  readonly expiresAt: number | null
  /** A secret that the provider issued with the subscription and does not reveal again. */
  readonly secret?: string
}

/** The provider's calls for managing subscriptions. */
export interface SubscriptionCalls {
  /** The owner of the subscriptions: one set for the app, or one set for each person, whose session is then passed. */
  readonly owner: 'app' | 'person'
  /** The subscriptions that should exist, based on the granted scopes (`person`) or the requested scopes (`app`). */
  wanted(scopes: readonly string[], app: ProviderApp): readonly WantedSubscription[]
  /** Creates a subscription, or finds the existing one. Throws ProviderError. */
  subscribe(session: AppSession, asked: SubscriptionRequest): Promise<Subscription>
  /** Renews or repairs a subscription. Throws ProviderError. If absent, the subscription is created again instead. */
  renew?(session: AppSession, subscription: Subscription, asked: SubscriptionRequest): Promise<Subscription>
  /** Removes a subscription. Throws ProviderError. A subscription that no longer exists is not an error. */
  remove(session: AppSession, subscription: Subscription, asked: SubscriptionRequest): Promise<void>
  /** Removes all of a person's subscriptions whose URL belongs to this service. Called before access is revoked. Throws ProviderError. */
  removeAll?(session: AppSession, isOurs: (callbackUrl: string) => boolean): Promise<void>
  /** How long before it ends a subscription is renewed, in milliseconds. */
  readonly renewBeforeMs: number
  /** Interval at which a subscription without an end is checked with `renew`, in milliseconds; if absent, it is never checked. */
  readonly checkEveryMs?: number
}

export interface SubscriptionRequest extends WantedSubscription {
  readonly callbackUrl: string
  readonly verificationToken: string
}

export interface NotificationReader {
  /**
   * Classifies a request. Must finish within half a second, which is the engine's limit. `session` is used to read the provider's public
   * keys. Throws ProviderError if the keys cannot be read; the response then makes the provider send the request again.
   */
  receive(session: AppSession, incoming: IncomingNotification, secrets: NotificationSecrets): Promise<Reception>
  /** Calls for managing subscriptions; null if an operator enters the URL by hand. */
  readonly subscriptions: SubscriptionCalls | null
  /** Returns instructions for settings to enter by hand at the provider; empty if `subscriptions` handles everything. */
  instructions(callbackUrl: string, secrets: NotificationSecrets, app: ProviderApp): readonly string[]
}
