/** `--jq`: runs jq, compiled to WebAssembly, over a response. jq has no access to files, the network or this process's environment. */
import type { Jq } from 'jq-wasm'
import { ServiceError } from '../../core/errors.ts'
import { jqMessage } from './jq-message.ts'

/** jq's own exit code for an expression that does not compile. */
const COMPILE_ERROR = 3

// global, because a process needs only one jq instance
let loading: Promise<Jq> | undefined

/** Runs an expression over JSON texts. */
export interface JqFilter {
  /**
   * Returns the output for a JSON text, or for several separated by line feeds: strings as they are, other values as compact JSON, each on
   * its own line. Throws a ServiceError `usage` whose message contains nothing from the input.
   */
  run(json: string): string
}

/** Loads jq on first use. */
export async function jqFilter(expression: string): Promise<JqFilter> {
  loading ??= import('jq-wasm').then(({ loadJq }) => loadJq())
  const jq = await loading
  return { run: json => runJq(jq, expression, json) }
}

function runJq(jq: Jq, expression: string, json: string): string {
  let result: ReturnType<Jq['raw']>
  try {
    // `--` ends jq's options, so that an expression may begin with a dash. The output is parsed below instead of using -r, because the
    // wrapper trims it.
    result = jq.raw(json, expression, ['-c', '--'])
  } catch (cause) {
    throw new ServiceError('usage', '--jq: jq ran out of memory.', {
      suggestions: ['Ask for less data, or use --output ndjson, which runs the expression for each line.'],
      cause,
    })
  }
  const { stdout, stderr, exitCode } = result
  if (exitCode === 0) {
    // Output that the expression prints with `debug` or `stderr`.
    if (stderr !== '') process.stderr.write(`${stderr}\n`)
    return stdout === '' ? '' : `${stdout.split('\n').map(rawLine).join('\n')}\n`
  }
  throw new ServiceError('usage', `--jq: ${jqMessage(stderr, expression, exitCode === COMPILE_ERROR)}`, {
    suggestions: ['`--jq .` prints the whole response. The language is described at https://jqlang.org/manual/.'],
  })
}

/** Parses a line of jq output. jq prints each value on one line, and strings as JSON. */
function rawLine(line: string): string {
  return line.startsWith('"') ? (JSON.parse(line) as string) : line
}
