/** jq over responses: its output, and messages that repeat nothing of the input. */
import { describe, expect, test } from 'vitest'
import { jqFilter } from '../../../src/cli/scripting/jq.ts'

const INPUT = JSON.stringify({
  value: 72.5,
  name: 'Jane Doe) and ("x',
  list: [1, 2],
  none: null,
  text: '  two\nlines \n',
})
const run = async (expression: string, input = INPUT) => (await jqFilter(expression)).run(input)

describe('the output of jq', () => {
  test.each([
    ['prints texts as they are, with all their spaces', '.text', '  two\nlines \n\n'],
    ['prints other values as compact JSON, one per line', '.list, .none, .value', '[1,2]\nnull\n72.5\n'],
    ['is empty when the expression has no results', 'empty', ''],
    ['keeps digits that a JavaScript number would lose', '12345678901234567890', '12345678901234567890\n'],
    ['accepts an expression that begins with a dash', '-.value', '-72.5\n'],
    ['has regular expressions', '.name | test("^Jane")', 'true\n'],
    ['has no variables of this process', '$ENV.SVC_API_KEY, env.PATH', 'null\n/\n'],
    ['ends at halt', '.list[], halt', '1\n2\n'],
  ])('%s', async (_title, expression, output) => {
    expect(await run(expression)).toBe(output)
  })

  test('has the results for every line of several inputs', async () => {
    expect(await run('.a', '{"a":1}\n{"a":"x"}')).toBe('1\nx\n')
  })
})

describe('an error of jq', () => {
  test.each([
    ['.list |', /^--jq: syntax error, unexpected end of file/],
    ['.lits | foo', /^--jq: foo\/0 is not defined at <top-level>, line 1, column 9:/],
    ['$missing', /^--jq: \$missing is not defined/],
    ['import "a" as a; .', /^--jq: module not found: a/],
  ])('in the expression is passed on: %s', async (expression, message) => {
    await expect(run(expression)).rejects.toMatchObject({
      code: 'usage',
      exitCode: 2,
      message: expect.stringMatching(message),
    })
  })

  test.each([
    ['.value.x', '--jq: Cannot index number with "x".'],
    ['.name.x', '--jq: Cannot index string with "x".'],
    ['.name as $n | .value[$n]', '--jq: Cannot index number with string.'],
    ['.value[]', '--jq: Cannot iterate over number.'],
    ['.name[]', '--jq: Cannot iterate over string.'],
    ['.name | tonumber', '--jq: string cannot be parsed as a number.'],
    ['.name - .value', '--jq: string and number cannot be subtracted.'],
    ['.name + .list', '--jq: string and array cannot be added.'],
    ['.value / 0', '--jq: number and number cannot be divided.'],
    ['{(.value): 1}', '--jq: Cannot use number as object key.'],
    ['.value | keys', '--jq: number has no keys.'],
    ['error("no such user")', '--jq: no such user'],
    ['.name | error', /The message is left out/],
    ['.value | error', /The message is left out/],
    ['. | error', /The message is left out/],
    ['.name | halt_error', /The message is left out/],
    ['.name | fromjson', '--jq: a text is not JSON (fromjson).'],
    ['.name | strptime("%Y")', '--jq: a date does not match the format of strptime.'],
    ['error("Cannot iterate over " + .name)', /The message is left out/],
  ])('at run time repeats no value: %s', async (expression, message) => {
    const error = await run(expression).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({
      code: 'usage',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
    expect(JSON.stringify([(error as Error).message, error])).not.toMatch(/Jane|Doe|72\.5/)
  })

  test('that memory is exhausted suggests a remedy, and jq works again afterwards', async () => {
    await expect(run('[range(1e9)] | length')).rejects.toMatchObject({ message: '--jq: jq ran out of memory.' })
    expect(await run('.value')).toBe('72.5\n')
  })
})
