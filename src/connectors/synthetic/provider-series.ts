/** Collects one provider's samples, with one series per resource. Drops resources that the provider does not supply. */
import type { Provider } from '../../catalogue/provider.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput } from '../../core/sample.ts'
import type { LocalCalendar } from './calendar.ts'
import { preferredSourceType } from './device.ts'

/** A sample whose offset is filled in by `push`. */
type Reading = { -readonly [Field in keyof SampleInput]: SampleInput[Field] }

/** REST path names of resources whose key in `supportedResources` differs. */
const PATH_NAMES: Readonly<Record<string, string>> = { weight: 'body_weight', fat: 'body_fat' }

export class ProviderSeries {
  private readonly builders = new Map<string, SampleBatchBuilder>()
  private readonly provider: Provider
  private readonly calendar: LocalCalendar
  private readonly supported: ReadonlySet<string>

  constructor(provider: Provider, calendar: LocalCalendar) {
    this.provider = provider
    this.calendar = calendar
    this.supported = new Set(provider.supportedResources)
  }

  /** Adds a sample. A resource's samples must be added in chronological order. */
  push(resource: string, sample: Reading, type: string | null = null): void {
    let builder = this.builders.get(resource)
    if (!builder) {
      if (!this.supported.has(resource)) return
      builder = new SampleBatchBuilder({
        resource: PATH_NAMES[resource] ?? resource,
        type,
        provider: this.provider.slug,
        sourceType: preferredSourceType(this.provider, resource),
      })
      this.builders.set(resource, builder)
    }
    sample.offset = this.calendar.offsetAt(sample.start)
    builder.push(sample)
  }

  take(): SampleBatch[] {
    return [...this.builders.values()].map(each => each.take())
  }
}
