/** How failures are printed. */
import { describe, expect, test } from 'vitest'
import { hasFlag, isGiven, wantsJson } from '../../../src/cli/runtime/command-line.ts'
import { describeFailure } from '../../../src/cli/runtime/failure.ts'
import { unknownCommand } from '../../../src/cli/runtime/usage.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '../../../src/core/error-catalogue.ts'
import { invalid, ServiceError } from '../../../src/core/errors.ts'

const SCREEN = { width: undefined, color: false }
const PLAIN = { json: false, debug: false, screen: SCREEN }
const JSON_MODE = { json: true, debug: false, screen: SCREEN }

describe('a failure', () => {
  test('is one message in text output, followed by a remedy', () => {
    const error = new ServiceError('user_not_found', 'There is no such user.', { suggestions: ['Look again.'] })
    expect(describeFailure(error, PLAIN)).toEqual({
      exitCode: 3,
      text: 'Error: There is no such user.\n  Look again.\n',
    })
  })

  test('takes the remedy from the catalogue if there is no more specific one', () => {
    const { text } = describeFailure(new ServiceError('user_not_found', 'There is no such user.'), PLAIN)
    expect(text).toContain('svc user list')
  })

  test.each([
    ['50', 'Try again in 50 seconds.'],
    ['3001', 'Try again in 51 minutes.'],
  ])('from too many calls says when to try again: Retry-After %s', (seconds, advice) => {
    const error = new ServiceError('rate_limited', 'Too many.', { headers: { 'retry-after': seconds } })
    expect(describeFailure(error, PLAIN)).toEqual({ exitCode: 5, text: `Error: Too many.\n  ${advice}\n` })
  })

  test('is one document in json, with the response’s detail', () => {
    const error = invalid([{ loc: ['query', 'limit'], msg: 'must be at least 1', type: 'greater_than_equal' }])
    const { exitCode, text } = describeFailure(error, JSON_MODE)
    expect(exitCode).toBe(2)
    expect(JSON.parse(text)).toEqual({
      error: {
        code: 'invalid_request',
        category: 'usage',
        message: error.message,
        detail: [{ loc: ['query', 'limit'], msg: 'must be at least 1', type: 'greater_than_equal' }],
        suggestions: ['Correct the field that the message names.'],
        status: 422,
      },
    })
  })

  test.each(Object.keys(ERROR_CATALOGUE) as ErrorCode[])('has a remedy in json, whatever its code: %s', code => {
    const { error } = JSON.parse(describeFailure(new ServiceError(code, 'The reason.'), JSON_MODE).text)
    expect(error.message).toBe('The reason.')
    expect(error.suggestions).toEqual([expect.stringMatching(/^[A-Z].*\.$/)])
    expect(error.suggestions[0]).not.toMatch(/^(?:The message|Each line|The printed|The field)/)
  })

  test.each([
    ['The query is empty. Name a file, or give --select.', 'The query is empty.', ['Name a file, or give --select.']],
    ['1/2/25 can be two days; add --date-order dmy or mdy', '1/2/25 can be two days', ['Add --date-order dmy or mdy.']],
    [
      'Cancelled. Rows are kept. To continue, run it again.',
      'Cancelled. Rows are kept.',
      ['To continue, run it again.'],
    ],
    [
      'No table is named "x". Did you mean "y"? Run it. See it.',
      'No table is named "x". Did you mean "y"?',
      ['Run it.', 'See it.'],
    ],
    ['"x" is unknown. `svc x list` lists all', '"x" is unknown.', ['`svc x list` lists all.']],
    ['It is missing. For a table, use --map instead.', 'It is missing.', ['For a table, use --map instead.']],
    ['It is private; to allow that, set X=1, or run it.', 'It is private.', ['To allow that, set X=1, or run it.']],
    ['A run was not found.', 'A run was not found.', ['Check the id or the path.']],
  ])('separates its reason from its remedy in json: %s', (message, reason, suggestions) => {
    const thrown = new ServiceError('not_found', message)
    expect(JSON.parse(describeFailure(thrown, JSON_MODE).text).error).toMatchObject({ message: reason, suggestions })
    expect(describeFailure(thrown, PLAIN).text).toMatch(`Error: ${message}\n`)
  })

  test('adds its own suggestions to the remedy in its message', () => {
    const thrown = new ServiceError('usage', 'It is empty. Give it.', { suggestions: ['There is another way.'] })
    const { suggestions } = JSON.parse(describeFailure(thrown, JSON_MODE).text).error
    expect(suggestions).toEqual(['Give it.', 'There is another way.'])
  })

  test('mentions a command only once in json, even if both its message and its suggestions contain it', () => {
    const thrown = new ServiceError('usage', 'It is unknown. `svc x list` lists all', {
      suggestions: ['Run `svc x list`.'],
    })
    expect(JSON.parse(describeFailure(thrown, JSON_MODE).text).error).toMatchObject({
      message: 'It is unknown.',
      suggestions: ['Run `svc x list`.'],
    })
  })

  test('with a remote status takes its exit code from the status', () => {
    const error = new ServiceError('bad_request', 'No.', { status: 503 })
    expect(describeFailure(error, PLAIN).exitCode).toBe(7)
  })

  test('caused by a bug exits with 1, and shows a stack trace only on request', () => {
    const bug = new TypeError('x is not a function')
    const { exitCode, text } = describeFailure(bug, PLAIN)
    expect(exitCode).toBe(1)
    expect(text).not.toMatch(/\n\s+at /)
    expect(text).toContain('Report it')
    expect(describeFailure(bug, { ...PLAIN, debug: true }).text).toMatch(/\n\s+at /)
    expect(describeFailure('thrown text', PLAIN).exitCode).toBe(1)
  })
})

describe('a refused field', () => {
  const issue = (loc: readonly (string | number)[], msg = 'Value error, Invalid IANA time zone') =>
    invalid([{ loc, msg, type: 'value_error' }])
  const text = (error: ServiceError, flags: readonly string[], argv: readonly string[] = []) =>
    describeFailure(error, { ...PLAIN, flags, argv }).text

  test('is named after the flag that set it, in plain words', () => {
    const advice = text(issue(['body', 'fallback_time_zone']), ['fallback-time-zone'])
    expect(advice).toBe('Error: --fallback-time-zone: Invalid IANA time zone\n')
  })

  test('is in one list with all other missing fields, before the errors of the rest', () => {
    const missing = (name: string) => ({ loc: ['body', name], msg: 'Field required', type: 'missing' })
    const wrong = { loc: ['body', 'email'], msg: 'must be an e-mail address', type: 'value_error' }
    const words = { ...PLAIN, flags: ['dob', 'city', 'email'] }
    expect(describeFailure(invalid([missing('dob'), wrong, missing('city')]), words).text).toMatch(
      /^Error: --dob and --city are missing; --email: must be an e-mail address\n/,
    )
    expect(describeFailure(invalid([missing('dob')]), words).text).toMatch(/^Error: --dob: Field required\n/)
  })

  test('keeps its name if no flag matches', () => {
    expect(text(issue(['body', 'client_user_id']), ['limit'])).toBe('Error: client_user_id: Invalid IANA time zone\n')
  })

  test('deep in a document is named after a flag only if that flag was given', () => {
    const error = issue(['body', 'queries', 0, 'where'], 'ends early')
    expect(text(error, ['where'])).toBe('Error: queries.0.where: ends early\n')
    expect(text(error, ['where'], ['--where', 'steps >'])).toBe('Error: --where: ends early\n')
  })

  test('is unchanged in json', () => {
    const error = issue(['body', 'fallback_time_zone'])
    const { message, detail } = JSON.parse(
      describeFailure(error, { ...JSON_MODE, flags: ['fallback-time-zone'], argv: [] }).text,
    ).error
    expect(message).toBe('fallback_time_zone: Value error, Invalid IANA time zone')
    expect(detail).toEqual([
      { loc: ['body', 'fallback_time_zone'], msg: 'Value error, Invalid IANA time zone', type: 'value_error' },
    ])
  })
})

describe('an unknown command', () => {
  const KNOWN = ['user:get', 'user:list', 'link:password']
  test('gets the nearest command as a suggestion', () =>
    expect(unknownCommand('user:gett', KNOWN).message).toContain('"user get"'))
  test('in a known topic gets the commands of the topic', () =>
    expect(unknownCommand('link:frobnicate', KNOWN).suggestions.join()).toContain('link password'))
})

describe('the raw command line', () => {
  test.each([
    [['user', 'list', '--json'], {}, true],
    [['user', 'list', '--output', 'json'], {}, true],
    [['user', 'list', '--output=json'], {}, true],
    [['user', 'list', '--output', 'csv'], { SVC_JSON: '1' }, false],
    [['user', 'list'], { SVC_OUTPUT: 'json' }, true],
    [['user', 'get', '--', '--json'], {}, false],
    [['user', 'list'], {}, false],
  ])('%j with %j asks for json errors: %s', (argv, env, wanted) => expect(wantsJson(argv, env)).toBe(wanted))

  test('is not parsed for flags after --', () => {
    expect(hasFlag(['--debug'], 'debug', 'SVC_DEBUG', {})).toBe(true)
    expect(hasFlag(['--', '--debug'], 'debug', 'SVC_DEBUG', {})).toBe(false)
    expect(hasFlag([], 'debug', 'SVC_DEBUG', { SVC_DEBUG: 'true' })).toBe(true)
    expect(isGiven(['--start=x'], 'start')).toBe(true)
    expect(isGiven(['--started', 'x'], 'start')).toBe(false)
  })
})
