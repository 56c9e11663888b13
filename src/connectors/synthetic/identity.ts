/** A synthetic person's identity: summaries about the person rather than about a day. */
import type { Provider } from '../../catalogue/provider.ts'
import { Stream } from '../../core/random.ts'
import type { SummaryKind, SummaryRecord } from '../../core/sample.ts'
import { type EpochMs, formatDate } from '../../core/time.ts'
import { profileSummary, type SummaryOrigin, sourceFields, summaryAt } from '../shared/summaries.ts'
import type { LocalCalendar } from './calendar.ts'
import { preferredSourceType } from './device.ts'
import { menstrualCycles } from './menstrual-cycle.ts'
import type { Traits } from './traits.ts'

export interface Identity {
  readonly sex: 'female' | 'male'
  readonly birthDate: string
}

/** Derives the identity from seed and user. The age matches the maximum heart rate (220 minus the age in 2026). */
export function deriveIdentity(seed: string, userId: string, traits: Traits): Identity {
  const chance = new Stream(seed, userId, 'identity')
  const sex = chance.next() < 0.5 ? 'male' : 'female'
  return { sex, birthDate: formatDate(Date.UTC(1806 + traits.maxHr, 0, 1 + chance.whole(0, 364))) }
}

export interface IdentityContext {
  readonly seed: string
  readonly userId: string
  readonly provider: Provider
  readonly traits: Traits
  readonly calendar: LocalCalendar
  /** Midnight UTC on the first date; `today` is midnight UTC on the current date. */
  readonly first: EpochMs
  readonly today: EpochMs
}

/** Returns the profile as of today and, for women, the menstrual cycles that overlap the history, if the provider supports them. */
export function identitySummaries(context: IdentityContext): SummaryRecord[] {
  const { seed, userId, provider, traits, calendar, first, today } = context
  const identity = deriveIdentity(seed, userId, traits)
  const summaries: SummaryRecord[] = []
  if (provider.supportedResources.includes('profile')) {
    const { sex, birthDate } = identity
    const document = { height: traits.heightCm, birth_date: birthDate, wheelchair_use: false, gender: sex, sex }
    const at = calendar.instantAt(today, 0)
    summaries.push(profileSummary(summaryOrigin(context, 'profile', today, at), at, document))
  }
  if (identity.sex !== 'female' || !provider.supportedResources.includes('menstrual_cycle')) return summaries
  for (const { dateMs, document } of menstrualCycles(seed, userId, first, today)) {
    const at = calendar.instantAt(dateMs, 0)
    const origin = summaryOrigin(context, 'menstrual_cycle', dateMs, at, formatDate(dateMs))
    summaries.push(summaryAt(origin, 'menstrual_cycle', at, { ...document, ...sourceFields(origin) }))
  }
  return summaries
}

function summaryOrigin(
  { userId, provider, calendar }: IdentityContext,
  kind: SummaryKind,
  dateMs: EpochMs,
  at: EpochMs,
  ...recordId: readonly string[]
): SummaryOrigin {
  const sourceType = preferredSourceType(provider, kind)
  const day = { date: formatDate(dateMs), offset: calendar.offsetAt(at) }
  return { userId, provider: provider.slug, sourceType, recordId, ...day }
}
