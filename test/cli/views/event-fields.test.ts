/** The fields of a webhook body, as shown by `svc event types TYPE`. */
import { expect, it } from 'vitest'
import { eventFieldsView } from '../../../src/cli/views/event-fields.ts'
import { eventBody } from '../../../src/contract/events/event-payload.ts'
import { schemaOnItsOwn } from '../../../src/contract/kernel/json-schema.ts'

const fieldRows = (type: string, example: unknown) => {
  const schema = eventBody(type)
  if (!schema) throw new Error(`no such type: ${type}`)
  return eventFieldsView(schemaOnItsOwn(schema), example).rows
}

it('lists the fields of objects and of lists of objects, each with its type and an example', () => {
  const rows = fieldRows('daily.data.glucose.created', {
    event_type: 'daily.data.glucose.created',
    data: { source: { provider: 'oura', app_id: null }, data: [{ value: 5.4, unit: 'mmol/L' }] },
  })
  const row = (field: string) => rows.find(each => each.field === field)
  expect(row('event_type')).toMatchObject({ type: '"daily.data.glucose.created"' })
  expect(row('data.source.provider')).toMatchObject({ type: 'string', example: 'oura' })
  expect(row('data.source.app_id')).toMatchObject({ type: 'string or null', example: null })
  expect(row('data.source.name')?.description).toBe('deprecated')
  expect(row('data.data[].value')).toMatchObject({ type: 'number', example: 5.4 })
  expect(row('data.data[].unit')?.type).toBe('"mmol/L"')
})

it('shortens a long example, which json shows in full', () => {
  const polyline = 'x'.repeat(500)
  const rows = fieldRows('daily.data.workouts.created', { data: { map: { polyline } } })
  const shown = String(rows.find(each => each.field === 'data.map.polyline')?.example)
  expect(shown).toHaveLength(80)
  expect(shown.endsWith('…')).toBe(true)
})
