/** Observations about live providers, which a server counts in its metrics. They name no user, team or record. */

export type LiveObservation =
  /** A request was sent. `outcome` is `answered` or the ProviderError's kind. */
  | { readonly kind: 'request'; readonly provider: string; readonly outcome: string; readonly ms: number }
  /** A request was delayed because the provider's budget was used up. */
  | { readonly kind: 'budget_wait'; readonly provider: string; readonly ms: number }
  | { readonly kind: 'pull'; readonly provider: string; readonly outcome: string; readonly records: number }
  /** `outcome` is received, repeated, answered, refused, unknown_token, unavailable, processed, unknown_user or given_up. */
  | { readonly kind: 'notification'; readonly provider: string; readonly outcome: string; readonly count: number }
