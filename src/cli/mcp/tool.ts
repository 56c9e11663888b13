/** A tool as the server sees it: its description for the model, and the function that runs it. */
import type { JsonObject } from '../../contract/kernel/json-schema.ts'

/** Arguments of a call, as the model sent them. */
export type Arguments = Readonly<Record<string, unknown>>

/** The result of a tool, before it is cut to a size that a model can process. */
export interface ToolResult {
  /** JSON value. */
  readonly body: unknown
  /** Paths of the lists that may be cut (RECORD_LISTS); undefined for the default lists. */
  readonly lists: readonly string[] | undefined
  /** Arguments for the service's next page; null after the last page. */
  readonly next: Arguments | null
}

/** One tool. */
export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** JSON Schema of the arguments: an object without alternatives at the top level, because some clients refuse them. */
  readonly inputSchema: JsonObject
  readonly isReadOnly: boolean
  readonly isDestructive: boolean
  readonly isIdempotent: boolean
  /** Throws ServiceError. */
  call(given: Arguments, signal: AbortSignal): Promise<ToolResult>
}

/** The argument that continues a result that was cut. */
export const SKIP = 'skip_records'
