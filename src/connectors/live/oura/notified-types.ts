/** What Oura notifies about: its name of the type, and what is pulled then. There are no notifications about the heart rate. */

export interface NotifiedType {
  /** `data_type` of a subscription. */
  readonly name: string
  readonly collection: string
  /** Whether the event names a document of the collection; otherwise what it names is joined to documents of it. */
  readonly isDocument: boolean
  readonly scope: string
}

export const NOTIFIED_TYPES: readonly NotifiedType[] = [
  { name: 'daily_activity', collection: 'daily_activity', isDocument: true, scope: 'daily' },
  { name: 'sleep', collection: 'sleep', isDocument: true, scope: 'daily' },
  { name: 'daily_sleep', collection: 'sleep', isDocument: false, scope: 'daily' },
  { name: 'daily_readiness', collection: 'sleep', isDocument: false, scope: 'daily' },
  { name: 'daily_spo2', collection: 'daily_spo2', isDocument: true, scope: 'spo2' },
  { name: 'vo2_max', collection: 'vO2_max', isDocument: true, scope: 'heart_health' },
  { name: 'session', collection: 'session', isDocument: true, scope: 'session' },
  { name: 'enhanced_tag', collection: 'enhanced_tag', isDocument: true, scope: 'tag' },
  { name: 'workout', collection: 'workout', isDocument: true, scope: 'workout' },
]

export const EVENT_TYPES = ['create', 'update', 'delete'] as const
