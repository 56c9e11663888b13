/**
 * The document of a summary as the service returns it: a connector leaves out fields without a value, and the service shows them as null.
 */
import { expect } from 'vitest'
import { SHIPPED_REGISTRY } from '../../src/catalogue/providers.ts'
import { summaryItem } from '../../src/contract/readings/summary.ts'
import { wholeDocument } from '../../src/contract/readings/whole-numbers.ts'
import type { SummaryRecord } from '../../src/core/sample.ts'
import { summaryViewer } from '../../src/engine/readings/summary-view.ts'

const USER = '11111111-2222-4333-8444-555555555555'

/**
 * Returns the document with every field of its kind. Throws for a field that is not in the contract or has another type there, and for
 * null, which a connector does not write.
 */
export function readDocument(summary: SummaryRecord): Readonly<Record<string, unknown>> {
  const { kind, at, document } = summary
  const view = summaryViewer(SHIPPED_REGISTRY, kind, USER, '2026-11-20')
  const shown = (some: SummaryRecord['document']) => view({ ...summary, document: some, createdAt: at, updatedAt: at })
  // data from a connector is rounded before it is stored
  summaryItem(kind)
    .strict()
    .parse(shown(wholeDocument(kind, document)))
  expect(Object.values(document)).not.toContain(null)
  const { id, user_id, source, created_at, updated_at, calendar_date, ...fields } = shown(document)
  const whole = 'calendar_date' in document ? { calendar_date, ...fields } : fields
  expect(whole).toMatchObject(document)
  return whole
}
