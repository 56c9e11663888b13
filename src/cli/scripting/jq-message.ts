/** Removes input values, which may be health data, from jq messages. */

const TYPE = '(null|boolean|number|string|array|object)'
/** Matches a type followed by a value in parentheses. Values may contain any character, so the match is as long as possible. */
const TYPED = `${TYPE} \\(.*\\)`

/** jq 1.8 messages for an expression that fails on its input. Only the captured groups are shown. */
const RUNTIME: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^Cannot index ${TYPE} with ${TYPE}\\b`), 'Cannot index $1 with $2'],
  [new RegExp(`^Cannot index ${TYPE} with "`), 'Cannot index $1 with string'],
  [new RegExp(`^Cannot iterate over ${TYPE}\\b`), 'Cannot iterate over $1'],
  [new RegExp(`^Cannot use ${TYPE} \\(.*\\) as object key$`, 's'), 'Cannot use $1 as object key'],
  [/^Cannot (update|delete) field at (object|array) index of (array|object)$/, 'Cannot $1 field at $2 index of $3'],
  [new RegExp(`^Cannot (check whether|determine) ${TYPE} (?:has|contains)\\b`), 'Cannot $1 $2 has a key'],
  [new RegExp(`^${TYPED} and ${TYPED} cannot be (added|subtracted|multiplied|divided)`, 's'), '$1 and $2 cannot be $3'],
  [
    new RegExp(`^${TYPED} and ${TYPED} cannot have their containment checked$`, 's'),
    '$1 and $2 cannot have their containment checked',
  ],
  [
    new RegExp(
      `^${TYPED} (cannot be (?:parsed as a number|sorted, as it is not an array|reversed, as it is not a string|grouped, as it is not an array|matched, as it is not a string|negated|tested)|has no keys|has no length|is not valid in a csv row|cannot be csv-formatted, only an array can be|cannot be tsv-formatted, only an array can be|number required|not a string|is not a string)$`,
      's',
    ),
    '$1 $2',
  ],
  [/^date ".*" does not match format "/s, 'a date does not match the format of strptime'],
  [/\(while parsing '/, 'a text is not JSON (fromjson)'],
  [/ input must be (a string|an array|a number)$/, 'the input must be $1'],
  [
    /^(?:startswith|endswith|ltrimstr|rtrimstr|split|join|explode|implode|test|match)\(?\)? /,
    'a function of strings got something else',
  ],
  [/^Out of bounds negative array index$/, 'Out of bounds negative array index'],
  [/^Range bounds must be numeric$/, 'Range bounds must be numeric'],
  [/^break$/, 'break, or no more input'],
]

/**
 * Returns jq's message. A compile error is returned unchanged, because it contains only the expression. Only the parts of a run-time error
 * that cannot contain a value are returned.
 */
export function jqMessage(stderr: string, expression: string, isCompileError: boolean): string {
  // With several inputs, each has its own error.
  const [, error = ''] = stderr.split(/^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?: /m)
  const first = error.trimEnd()
  if (isCompileError) return first.replace(/\n*jq: \d+ compile errors?$/, '').trimEnd()
  const key = /^Cannot index (\w+) with (?:string \()?("(?:[^"\\]|\\.)*")\)?$/.exec(first)
  // A key that occurs in the expression is not a value of the input.
  if (key && expression.includes(key[2]?.slice(1, -1) ?? '"')) return `Cannot index ${key[1]} with ${key[2]}.`
  // A message from the expression itself.
  if (expression.includes(`error(${JSON.stringify(first)})`)) return first
  for (const [pattern, message] of RUNTIME) {
    const match = pattern.exec(first)
    if (match) return `${message.replaceAll(/\$(\d)/g, (_, group) => match[Number(group)] ?? '')}.`
  }
  return 'the expression failed on the response. The message is left out, because it may contain data.'
}
