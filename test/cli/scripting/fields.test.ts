/** The members that --fields keeps. */
import { describe, expect, test } from 'vitest'
import { checkFields, parseFields, selectMembers } from '../../../src/cli/scripting/fields.ts'

const RECORD = { id: 'a', source: { type: 'watch', app: null }, days: [{ n: 1, x: 2 }, { n: 3 }], 'sum.steps': 7 }
const kept = (fields: string) => selectMembers(RECORD, parseFields(fields))
const never = async () => false

describe('project', () => {
  test.each([
    ['id', { id: 'a' }],
    ['source.type,id', { source: { type: 'watch' }, id: 'a' }],
    ['source.type,source.app', { source: { type: 'watch', app: null } }],
    ['source,source.type', { source: RECORD.source }],
    ['days.n', { days: [{ n: 1 }, { n: 3 }] }],
    ['days.x', { days: [{ x: 2 }, { x: null }] }],
    ['sum.steps', { 'sum.steps': 7 }],
    ['missing,source.app.deep', { missing: null, source: { app: null } }],
    [' id , source.type ', { id: 'a', source: { type: 'watch' } }],
  ])('keeps %s', (fields, record) => {
    expect(kept(fields)).toEqual(record)
  })

  test('keeps the requested order', () => {
    expect(Object.keys(kept('source,id') as object)).toEqual(['source', 'id'])
  })

  test.each(['', 'a,,b', 'a.', '.a', ','])('refuses the empty name in "%s"', fields => {
    expect(() => parseFields(fields)).toThrow(/names joined by commas/)
  })

  test('treats names of built-in members as unknown', async () => {
    await expect(checkFields(parseFields('constructor'), [RECORD], never)).rejects.toThrow(/no field "constructor"/)
    expect(Object.values(kept('__proto__') as object)).toEqual([null])
  })
})

describe('checkFields', () => {
  test('lists the nearest members and the existing ones', async () => {
    await expect(checkFields(parseFields('source.tpye'), [RECORD], never)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^There is no field "source\.tpye"\. Did you mean .*"source\.type"/),
      suggestions: ['Fields: id, source, source.type, source.app, days, days.n, days.x, sum.steps.'],
    })
  })

  test('accepts a member that one record has, a documented member, and any name for an empty list', async () => {
    await checkFields(parseFields('b'), [{ a: 1 }, { b: 2 }], never)
    await checkFields(parseFields('b'), [{ a: 1 }], async () => true)
    await checkFields(parseFields('b'), [], never)
  })
})
