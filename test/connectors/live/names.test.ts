/** What connectors say about themselves agrees: their resources, scopes, collections and mapping tables. */
import { describe, expect, it } from 'vitest'
import { resourceNamed, resourceQueried } from '../../../src/catalogue/resources.ts'
import { polarConnector } from '../../../src/connectors/live/polar/connector.ts'
import { whoopConnector } from '../../../src/connectors/live/whoop/connector.ts'
import { summaryItem } from '../../../src/contract/readings/summary.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../../src/core/sample.ts'
import { STREAM_COLUMNS } from '../../../src/core/stream.ts'

const isKind = (name: string): name is SummaryKind => (SUMMARY_KINDS as readonly string[]).includes(name)

/** Whether a name in a mapping table is a resource, a summary, or a field of one. */
function isKnown(to: string): boolean {
  const [kind = '', field = ''] = to.split('.')
  if (field === '') return isKind(kind) || resourceNamed(kind) !== undefined
  if (kind === 'workout_stream') return (STREAM_COLUMNS as readonly string[]).includes(field)
  return isKind(kind) && field in summaryItem(kind).shape
}

describe.each([whoopConnector, polarConnector])('the connector of $provider', connector => {
  it('supplies resources of the catalogue, each in a collection and with a scope', () => {
    const { resources, collections, scopes } = connector
    const unknown = resources.filter(each => !isKind(each) && each !== 'workout_stream' && !resourceQueried(each))
    expect(unknown).toEqual([])
    expect(new Set(collections.flatMap(each => each.resources))).toEqual(new Set(resources))
    expect(new Set(scopes.flatMap(each => each.resources))).toEqual(new Set(resources))
    const names = scopes.map(each => each.name)
    expect(collections.flatMap(each => each.scopes).filter(each => !names.includes(each))).toEqual([])
  })

  it('maps to resources and fields that exist', () => {
    const targets = connector.mapping.flatMap(({ to }) => to.split(', '))
    expect(targets.filter(to => !isKnown(to))).toEqual([])
    const lines = connector.mapping.map(({ from, to }) => `${from} → ${to}`)
    expect(new Set(lines).size).toBe(lines.length)
  })
})
