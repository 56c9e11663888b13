/** The command line's names for fields of the service. */
import { describe, expect, it } from 'vitest'
import type { CommandWords } from '../../../src/cli/arguments/field-names.ts'
import { describeFailure } from '../../../src/cli/runtime/failure.ts'
import { invalid, ServiceError } from '../../../src/core/errors.ts'

const nameIn = (loc: readonly (string | number)[], words: CommandWords): string =>
  describeFailure(invalid([{ loc, msg: 'is wrong', type: 'value_error' }]), {
    json: false,
    debug: false,
    screen: { width: undefined, color: false },
    ...words,
  }).text

describe('a refused field', () => {
  it('is named after the flag that sets it, even if the names differ', () => {
    expect(nameIn(['query', 'user_limit'], { flags: ['limit'] })).toBe('Error: --limit: is wrong\n')
    expect(nameIn(['query', 'end_date'], { flags: ['start', 'end'] })).toBe('Error: --end: is wrong\n')
    expect(nameIn(['header', 'x-idempotency-key'], { flags: ['idempotency-key'] })).toBe(
      'Error: --idempotency-key: is wrong\n',
    )
  })

  it('is named after the argument that sets it', () => {
    expect(nameIn(['query', 'query_id'], { args: ['text'] })).toBe('Error: TEXT: is wrong\n')
    expect(nameIn(['path', 'provider'], { args: ['user', 'provider'] })).toBe('Error: PROVIDER: is wrong\n')
    expect(nameIn(['body', 'set'], { args: ['instant'], flags: ['off'] })).toBe('Error: INSTANT: is wrong\n')
    expect(nameIn(['body', 'advance'], { args: ['duration'] })).toBe('Error: DURATION: is wrong\n')
  })

  it('in a list is named after the flag that was repeated', () => {
    expect(nameIn(['body', 'filter_on_providers', 1], { flags: ['filter'] })).toBe('Error: --filter: is wrong\n')
    expect(nameIn(['body', 'scopes', 0], { flags: ['grant'] })).toBe('Error: --grant: is wrong\n')
    expect(nameIn(['body', 'event_types', 2], { flags: ['event-type'] })).toBe('Error: --event-type: is wrong\n')
  })

  it('deep in a document is named after its flag, or by its position in the file if there was one', () => {
    const flags = ['file', 'zip']
    expect(nameIn(['body', 'address', 'zip'], { flags })).toBe('Error: --zip: is wrong\n')
    expect(nameIn(['body', 'address', 'zip'], { flags, argv: ['--file', 'a.json'] })).toBe(
      'Error: address.zip: is wrong\n',
    )
  })

  it('keeps its name if no flag or argument sets it', () =>
    expect(nameIn(['query', 'user_limit'], { flags: ['size'] })).toBe('Error: user_limit: is wrong\n'))
})

describe('a malformed ID in a path', () => {
  const describeIn = (field: string, words: Partial<Parameters<typeof describeFailure>[1]>): string =>
    describeFailure(new ServiceError('invalid_request', `Invalid format for parameter ${field}: must be a UUID`), {
      ...{ json: false, debug: false, screen: { width: undefined, color: false } },
      ...words,
    }).text

  it('is named after its argument, which may have an underscore', () => {
    expect(describeIn('order_id', { args: ['order'] })).toContain('ORDER: must be a UUID')
    expect(describeIn('import_id', { args: ['import_id'] })).toContain('IMPORT_ID: must be a UUID')
  })

  it('is followed by the command that lists the IDs, if the help of the argument names one', () => {
    const argumentHelp = { order: 'Order ID from `svc order list`', marker: 'Marker ID from `svc labs markers`' }
    expect(describeIn('order_id', { args: ['order', 'marker'], argumentHelp })).toBe(
      'Error: ORDER: must be a UUID\n  ORDER: Order ID from `svc order list`.\n',
    )
    const without = describeIn('order_id', { args: ['order'], argumentHelp: { order: 'Order ID' } })
    expect(without).not.toContain('ORDER: Order ID')
  })

  it('is unchanged in json', () =>
    expect(describeIn('order_id', { json: true, args: ['order'] })).toContain('parameter order_id: must be a UUID'))
})
