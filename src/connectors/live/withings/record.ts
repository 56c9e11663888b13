/** What the readers of Withings' records share. */
import type { EpochMs } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { SummarySource } from '../../shared/summaries.ts'
import { type FieldRule, mappedValues } from '../field-table.ts'
import type { LivePage, LiveSample } from '../page.ts'

export const WITHINGS = 'withings'

/** A page that is being read, and what it was asked for. */
export interface Reading {
  readonly page: LivePage
  readonly asked: PullRequest
}

export function sourceOf(
  { asked }: Reading,
  recordId: string,
  place: Pick<SummarySource, 'date' | 'offset' | 'sourceType'>,
): SummarySource {
  return { userId: asked.userId, provider: WITHINGS, recordId, ...place }
}

/** Something that samples are added to: a record, or a page. */
interface Holder {
  readonly samples: { add(sample: LiveSample, kind: string): void }
}

/** Adds the samples that the rules make of a record. */
export function addSamples(
  to: Holder,
  rules: readonly FieldRule[],
  from: unknown,
  common: Omit<LiveSample, 'resource' | 'value'> & { readonly start: EpochMs },
  collection: string,
): void {
  for (const { rule, value } of mappedValues(rules, from)) {
    to.samples.add({ ...common, resource: rule.to, value }, `${collection}.${rule.from}`)
  }
}
