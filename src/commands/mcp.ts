/** `svc mcp`. */
import { boolean, integer } from '@oclif/core/flags'
import { listenForStop } from '../cli/listen/stop.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { isGiven } from '../cli/runtime/command-line.ts'
import { ServiceError } from '../core/errors.ts'

const DEFAULT_RESULT_BYTES = 40_000
/** Minimum size of a result. It has room for the page information, including a cursor, and one record. */
const LEAST_RESULT_BYTES = 2_000
const MOST_RESULT_BYTES = 10_000_000

export default class Mcp extends SvcCommand {
  static override summary = 'Serve the Model Context Protocol on stdin and stdout, for AI assistants'
  static override description =
    "An assistant starts this command itself. The command reads data with the profile's permissions and changes " +
    'nothing without --allow-writes. Keys, secrets and tokens are never shown. Each call writes one line to stderr: ' +
    'tool, outcome, duration. The command ends when stdin ends or you press Ctrl-C.\n\n' +
    'Most clients read a JSON file, such as claude_desktop_config.json, .mcp.json or .cursor/mcp.json. VS Code ' +
    '(.vscode/mcp.json) calls the outer key "servers":\n\n' +
    '{ "mcpServers": { "svc": { "command": "svc", "args": ["mcp"] } } }\n\n' +
    'Claude Code:\n\n' +
    'claude mcp add svc -- svc mcp'
  static override examples = toExamples(
    '',
    '--profile staging --max-result-bytes 100000',
    '--data-dir ./scratch --allow-writes',
  )
  static override flags = {
    'allow-writes': boolean({ description: 'Also offer tools that change or delete data' }),
    'max-result-bytes': integer({
      description: 'Maximum size of a tool result; longer ones are cut between records and can be continued',
      helpValue: 'BYTES',
      default: DEFAULT_RESULT_BYTES,
      min: LEAST_RESULT_BYTES,
      max: MOST_RESULT_BYTES,
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp)
    if (isGiven(this.argv, 'output')) {
      throw new ServiceError('usage', '--output is not allowed here, because stdout carries only the protocol.')
    }
    const client = await this.client()
    const [{ mcpServer }, { serveSession }] = await Promise.all([
      import('../cli/mcp/server.ts'),
      import('../cli/mcp/session.ts'),
    ])
    const server = mcpServer(client, {
      version: this.config.version,
      root: this.config.root,
      maxBytes: flags['max-result-bytes'],
      allowsWrites: flags['allow-writes'],
      log: ({ tool, outcome, milliseconds, trace }) => {
        this.hint(`${tool} ${outcome} ${milliseconds} ms`)
        if (flags.debug && trace !== '') process.stderr.write(`${trace}\n`)
      },
    })
    if (process.stdin.isTTY)
      this.hint('Waiting for a client on stdin. `svc mcp --help` shows how to add one. Press Ctrl-D to end.')
    const stop = listenForStop()
    try {
      await serveSession(server, stop, line => this.hint(line))
    } finally {
      stop.release()
    }
  }
}
