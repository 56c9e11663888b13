/** The contract for reading a provider's incoming requests: handshakes, and notifications about new data. */

import type { AppSession, ProviderApp } from './provider-session.ts'
import type { PullWindow } from './pull-window.ts'

/** A request that arrived at the notification URL of an OAuth app. */
export interface IncomingNotification {
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** Returns a header by its name in lower case, or null. */
  header(name: string): string | null
  readonly query: URLSearchParams
  /** The original bytes, over which signatures are calculated. */
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

/** What an event is about. */
export type Hint =
  /** New or changed data in a window of a collection. */
  | { readonly kind: 'window'; readonly collection: string; readonly window: PullWindow }
  /** A record that is new or changed. */
  | { readonly kind: 'record'; readonly collection: string; readonly recordId: string }
  | { readonly kind: 'deleted'; readonly collection: string; readonly recordId: string }
  /** The person ended the access at the provider. */
  | { readonly kind: 'revoked' }

export interface NotifiedEvent {
  /** The same for every repetition of an event, and different for other events. */
  readonly eventId: string
  /** The provider's id for the person. */
  readonly accountId: string
  readonly hints: readonly Hint[]
}

export type Reception =
  /** A handshake or a ping: it gets a response, and nothing else happens. */
  | { readonly kind: 'answered'; readonly status: number; readonly type?: string; readonly body?: string }
  /** A genuine notification: it is queued, and gets a response with this status. */
  | { readonly kind: 'received'; readonly status: number; readonly events: readonly NotifiedEvent[] }
  /** Not genuine, or too old: it is counted, and gets a response with this status. `reason` contains no value. */
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }

/** A subscription that should exist at the provider. */
export interface WantedSubscription {
  /** Unique within the OAuth app, or within the connection: `update:sleep`. */
  readonly name: string
}

export interface Subscription {
  /** The provider's id for the subscription, or ''. */
  readonly remoteId: string
  /** When it ends unless it is renewed, in real time; null for never. */
  readonly expiresAt: number | null
  /** A secret that the provider issued with the subscription and never shows again. */
  readonly secret?: string
}

/** The provider's calls that manage subscriptions. */
export interface SubscriptionCalls {
  /** The owner of the subscriptions: one set for the app, or one for each person (whose session is then passed). */
  readonly owner: 'app' | 'person'
  /** The subscriptions that should exist, for the granted scopes (`person`) or the requested ones (`app`). */
  wanted(scopes: readonly string[], app: ProviderApp): readonly WantedSubscription[]
  /** Creates a subscription, or finds the existing one. Throws ProviderError. */
  subscribe(session: AppSession, asked: SubscriptionRequest): Promise<Subscription>
  /** Renews or repairs a subscription. Throws ProviderError. If absent, the subscription is created again. */
  renew?(session: AppSession, subscription: Subscription, asked: SubscriptionRequest): Promise<Subscription>
  /** Removes a subscription. Throws ProviderError. A subscription that no longer exists is not an error. */
  remove(session: AppSession, subscription: Subscription, asked: SubscriptionRequest): Promise<void>
  /** Removes all subscriptions of a person whose URL belongs to this service, before the access is revoked. Throws ProviderError. */
  removeAll?(session: AppSession, isOurs: (callbackUrl: string) => boolean): Promise<void>
  /** How long before its end a subscription is renewed, in milliseconds. */
  readonly renewBeforeMs: number
  /** Interval at which a subscription without an end is checked with `renew`, in milliseconds; absent for never. */
  readonly checkEveryMs?: number
}

export interface SubscriptionRequest extends WantedSubscription {
  readonly callbackUrl: string
  readonly verificationToken: string
}

export interface NotificationReader {
  /**
   * Classifies a request. It must finish within half a second, the engine's limit. `session` is for the provider's public keys. Throws
   * ProviderError if the keys cannot be read; the provider then gets a response that makes it send the request again.
   */
  receive(session: AppSession, incoming: IncomingNotification, secrets: NotificationSecrets): Promise<Reception>
  /** The calls that manage subscriptions; null if an operator enters the URL by hand. */
  readonly subscriptions: SubscriptionCalls | null
  /** Returns instructions for settings to enter by hand at the provider; empty if `subscriptions` handles everything. */
  instructions(callbackUrl: string, secrets: NotificationSecrets, app: ProviderApp): readonly string[]
}
