/** `svc api`. */
import { string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { type FoundOperation, findOperation } from '../cli/arguments/operation-path.ts'
import { writeStdout } from '../cli/output/output-file.ts'
import { fetchBytes } from '../cli/output/response-bytes.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { interruptSignal } from '../cli/runtime/interrupt.ts'
import { resolveReadable } from '../cli/runtime/readable-file.ts'
import { repeatable } from '../cli/runtime/shared-flags.ts'
import { checkNothingPiped, readText } from '../cli/runtime/standard-input.ts'
import { takesIdempotencyKey } from '../contract/kernel/operation.ts'
import { ServiceError } from '../core/errors.ts'
import { type View, view } from '../output/view.ts'
import { toCell } from '../table/cells.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

export default class Api extends SvcCommand {
  static override summary = 'Call any operation by method and path, and print the response body'
  static override description =
    'Works the same with the embedded engine and with a server. Link operations read their token from ' +
    'SVC_LINK_TOKEN.'
  static override examples = toExamples(
    "GET '/v2/user?limit=5'",
    'POST /v2/user --field client_user_id=ada',
    'POST /v2/link/token --input request.json --idempotency-key first-link-of-ada',
  )
  static override args = {
    method: stringArg({ required: true, description: `HTTP method: ${METHODS.join(', ')}` }),
    path: stringArg({ required: true, description: 'Operation path, including the query string' }),
  }
  static override flags = {
    field: string({
      description: 'Body field, or query parameter for operations without a body; can be repeated',
      ...repeatable,
      helpValue: 'NAME=TEXT',
    }),
    'idempotency-key': string({
      description: 'Key that makes the call safe to repeat: for 24 hours, the same key returns the first response',
      helpValue: 'KEY',
    }),
    input: string({
      description: 'File with the request body; - reads stdin',
      exclusive: ['field'],
      helpValue: 'FILE',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Api)
    const found = findOperation(parseMethod(args.method), args.path)
    const fields = parseFields(flags.field ?? [])
    const takesBody = found.operation.body !== undefined
    const input = {
      params: found.params,
      query: takesBody ? found.query : { ...found.query, ...fields },
      body: takesBody ? await readBody(found, flags.input, fields) : undefined,
    }
    if (!takesBody && flags.input !== undefined) {
      throw new ServiceError('usage', `${args.method.toUpperCase()} ${found.operation.path} does not accept a body.`)
    }
    const key = flags['idempotency-key']
    if (key !== undefined && !takesIdempotencyKey(found.operation)) {
      throw new ServiceError(
        'usage',
        `${args.method.toUpperCase()} ${found.operation.path} does not accept an idempotency key.`,
        {
          suggestions: ['Only a POST that changes something accepts an idempotency key.'],
        },
      )
    }
    const linkToken = process.env['SVC_LINK_TOKEN']
    const options = {
      ...(linkToken ? { linkToken } : {}),
      ...(key === undefined ? {} : { headers: { 'x-idempotency-key': key } }),
    }
    if (found.operation.repliesBytes !== undefined) return this.passOn(found, input)
    // The operation itself checks the path parameters; their exact type is not known here.
    const body: unknown = await this.ask(found.id, input as never, options)
    if (body !== undefined) await this.print(body, anyView(body))
  }

  /** Writes a binary response to stdout as it arrives, regardless of --output. */
  private async passOn(found: FoundOperation, input: object): Promise<void> {
    const options = { signal: interruptSignal(), otherwise: `The response to ${found.id} is not binary.` }
    // the operation checks its input
    await writeStdout(await fetchBytes(await this.client(), found.id, input as never, options))
  }

  /** Defaults to json, because response bodies have no table of their own. */
  protected override get defaultFormat(): 'json' {
    return 'json'
  }
}

function parseMethod(given: string): string {
  const method = given.toUpperCase()
  if ((METHODS as readonly string[]).includes(method)) return method
  throw new ServiceError('usage', `METHOD must be one of ${METHODS.join(', ')}, followed by PATH.`)
}

function parseFields(given: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const field of given) {
    const at = field.indexOf('=')
    if (at < 1) throw new ServiceError('usage', 'A --field must be NAME=TEXT.')
    fields[field.slice(0, at)] = field.slice(at + 1)
  }
  return fields
}

async function readBody(
  found: FoundOperation,
  input: string | undefined,
  fields: Record<string, string>,
): Promise<unknown> {
  if (found.operation.bodyIsBytes) {
    if (input === undefined)
      throw new ServiceError('missing_input', 'This operation needs a file. Give it with --input.')
    if (input === '-') return { kind: 'stream', stream: process.stdin }
    return { kind: 'file', path: await resolveReadable(input) }
  }
  if (input === undefined) {
    if (Object.keys(fields).length === 0 && !isBodyInQuery(found)) checkNothingPiped()
    return fields
  }
  const text = await readText(input)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ServiceError('usage', `${input === '-' ? 'Stdin' : input} is not valid JSON.`, { cause })
  }
}

/** Returns whether the operation accepts its body in the query string, and the query string is not empty. */
function isBodyInQuery({ operation, query }: FoundOperation): boolean {
  return operation.bodyFromQuery === true && Object.keys(query).length > 0
}

/** Returns the rows for csv and tables: the items of a list, or the fields of one object. */
function anyView(body: unknown): View<Readonly<Record<string, unknown>>> {
  const rows = (Array.isArray(body) ? body : [body]).map(asRow)
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
  return view(rows, Object.fromEntries(names.map(name => [name, (row: (typeof rows)[number]) => toCell(row[name])])))
}

function asRow(item: unknown): Readonly<Record<string, unknown>> {
  return typeof item === 'object' && item !== null ? { ...item } : { value: item }
}
