/** Who a synthetic person is: the summaries that are told of the person and not of a day (interface-gaps 4.12). */
import type { Provider } from '../../catalogue/providers.ts'
import { ownedId } from '../../core/ids.ts'
import { Stream } from '../../core/random.ts'
import type { SummaryKind, SummaryRecord } from '../../core/sample.ts'
import { type EpochMs, formatDate } from '../../core/time.ts'
import { type LocalCalendar, nameOfDate } from './calendar.ts'
import { sourceTypeOf } from './device.ts'
import { menstrualCycles } from './menstrual-cycle.ts'
import type { Traits } from './traits.ts'

export interface Identity {
  readonly sex: 'female' | 'male'
  readonly birthDate: string
}

/** Seed and user decide; the age agrees with the maximal heart rate (220 less the years, in 2026). */
export function identityOf(seed: string, userId: string, traits: Traits): Identity {
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
  /** Midnight UTC of the first and of the running date. */
  readonly first: EpochMs
  readonly today: EpochMs
}

/** The profile as of today, and for women the menstrual cycles that reach into the history: as far as the provider has them. */
export function identitySummaries(context: IdentityContext): SummaryRecord[] {
  const { seed, userId, provider, traits, first, today } = context
  const identity = identityOf(seed, userId, traits)
  const summaries: SummaryRecord[] = []
  if (provider.supportedResources.includes('profile')) {
    const { sex, birthDate } = identity
    const document = { height: traits.heightCm, birth_date: birthDate, wheelchair_use: false, gender: sex, sex }
    summaries.push(record(context, 'profile', today, document))
  }
  if (identity.sex !== 'female' || !provider.supportedResources.includes('menstrual_cycle')) return summaries
  const source = {
    source_provider: provider.slug,
    source_type: sourceTypeOf(provider, 'menstrual_cycle'),
    source_app_id: null,
    source_device_id: null,
  }
  for (const { dateMs, document } of menstrualCycles(seed, userId, first, today)) {
    summaries.push(record(context, 'menstrual_cycle', dateMs, { ...document, ...source }, nameOfDate(dateMs)))
  }
  return summaries
}

function record(
  { userId, provider, calendar }: IdentityContext,
  kind: SummaryKind,
  dateMs: EpochMs,
  document: SummaryRecord['document'],
  ...suffix: readonly string[]
): SummaryRecord {
  const at = calendar.instantAt(dateMs, 0)
  return {
    kind,
    id: ownedId(userId, kind, provider.slug, ...suffix),
    provider: provider.slug,
    sourceType: sourceTypeOf(provider, kind),
    appId: null,
    deviceId: null,
    at,
    date: nameOfDate(dateMs),
    offset: calendar.offsetAt(at),
    document,
  }
}
