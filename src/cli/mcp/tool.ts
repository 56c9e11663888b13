/** What a tool is to the server: its description for the model, and how it answers. */
import type { JsonObject } from '../../contract/kernel/json-schema.ts'

/** Arguments of a call, as the model sent them. */
export type Arguments = Readonly<Record<string, unknown>>

/** The answer of a tool, before it is cut to the size that a model can take. */
export interface ToolAnswer {
  /** JSON value. */
  readonly body: unknown
  /** Paths of the lists that may be cut (RECORD_LISTS); undefined for the usual ones. */
  readonly lists: readonly string[] | undefined
  /** Arguments that lead to the service's own next page; null at the end. */
  readonly next: Arguments | null
}

/** One tool. */
export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** JSON Schema of the arguments: an object without alternatives at the top, which some clients refuse. */
  readonly inputSchema: JsonObject
  readonly isReadOnly: boolean
  readonly isDestructive: boolean
  readonly isIdempotent: boolean
  /** Throws ServiceError. */
  answer(given: Arguments, signal: AbortSignal): Promise<ToolAnswer>
}

/** The argument that continues an answer that was cut. */
export const SKIP = 'skip_records'
