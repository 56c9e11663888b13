/** `svc mcp` as a client starts it: the client of the protocol's own SDK, over a real pipe to the built binary. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { atEndOfFile } from './end-of-file.ts'
import { type Sandbox, svcCommand } from './sandbox.ts'

/** Result of a tool, read as JSON. */
export interface ToolResult {
  readonly isError: boolean
  /** Size of the text in bytes. */
  readonly bytes: number
  readonly page?: { readonly records: number; readonly left_records: number; readonly next: object | null }
  // each test knows the response of its operation
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the tool
  readonly result: any
  readonly error?: { readonly code: string; readonly message: string; readonly suggestions: readonly string[] }
}

export interface McpSession {
  readonly client: Client
  call(name: string, args?: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ToolResult>
  /** Calls a tool with the arguments of each next page, and returns all results. */
  all(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult[]>
  /** Its stderr so far. */
  stderr(): string
  close(): Promise<void>
}

/** Starts the command and completes the handshake. The session is closed when the test file ends. */
export async function openMcp(
  sandbox: Sandbox,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<McpSession> {
  const transport = new StdioClientTransport({
    command: svcCommand[0],
    args: [...svcCommand.slice(1), 'mcp', ...args],
    env: { ...sandbox.env, ...env },
    cwd: sandbox.folder,
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8')
  })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  atEndOfFile(() => client.close())
  const call: McpSession['call'] = async (name, given = {}, signal) => {
    const reply = await client.callTool({ name, arguments: given }, undefined, signal ? { signal } : {})
    const [content] = reply.content as { type: string; text: string }[]
    const text = content?.text ?? ''
    return { isError: reply.isError === true, bytes: Buffer.byteLength(text), ...JSON.parse(text) }
  }
  return {
    client,
    call,
    async all(name, given) {
      const results: ToolResult[] = []
      for (let more: object | null = {}; more !== null && results.length < 200; ) {
        const result: ToolResult = await call(name, { ...given, ...more })
        results.push(result)
        // arguments of earlier pages stay, as a model would keep them
        more = result.page?.next ? { ...more, ...result.page.next } : null
      }
      return results
    },
    stderr: () => stderr,
    close: () => client.close(),
  }
}
