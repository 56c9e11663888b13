/** Reads a recording line by line, checks each line, and reports a damaged line by its number. */
import type * as z from 'zod'
import { fileLines } from '../../connectors/files/bytes/file-lines.ts'
import { type HeadLine, headLine, RECORDING_FORM, recordingLine } from '../../contract/engine/recording.ts'
import { ServiceError } from '../../core/errors.ts'

/** Maximum line length. Request bodies are far smaller, and uploads are split into lines of one megabyte. */
const MOST_LINE_BYTES = 64 << 20

/** An entry, part of the initial state, or the last line. */
export type RecordingLine = z.output<ReturnType<typeof recordingLine>>
export type EntryLine = Exclude<RecordingLine, { readonly base: unknown } | { readonly end: unknown }>
export type CallLine = Extract<RecordingLine, { readonly operation: unknown }>

export interface NumberedLine {
  /** Line number in the file, starting at 1. */
  readonly at: number
  readonly line: { readonly head: HeadLine } | RecordingLine
  /** Number of bytes read from the file so far. */
  readonly bytesRead: number
}

/**
 * Yields a recording's lines. Throws ServiceError `invalid_file` for a file that is not a recording, has a newer format, or contains a
 * damaged line.
 */
export async function* recordingLines(
  file: { readonly path: string; readonly sizeBytes: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<NumberedLine> {
  const schema = recordingLine()
  let isFirst = true
  for await (const { lines, first, bytesRead } of fileLines(file, { lineBytes: MOST_LINE_BYTES }, signal)) {
    for (const [i, bytes] of lines.entries()) {
      const at = first + i
      if (isFirst) {
        yield { at, line: { head: parseHead(bytes) }, bytesRead }
        isFirst = false
        continue
      }
      const found = schema.safeParse(parseJson(bytes))
      if (!found.success) throw damagedLine(at)
      yield { at, line: found.data, bytesRead }
    }
  }
  if (isFirst) throw noRecording()
}

function parseHead(bytes: Buffer): HeadLine {
  const value = parseJson(bytes)
  const form = typeof value === 'object' && value !== null && 'svc_recording' in value ? value.svc_recording : undefined
  if (typeof form === 'number' && form > RECORDING_FORM) {
    throw new ServiceError(
      'invalid_file',
      `The recording has format ${form}, and this version of svc reads formats up to ${RECORDING_FORM}.`,
      {
        suggestions: ['Update svc.'],
      },
    )
  }
  const found = headLine().safeParse(value)
  if (!found.success || form !== RECORDING_FORM) throw form === undefined ? noRecording() : damagedLine(1)
  return found.data
}

/** Returns the value. Returns undefined for invalid JSON, which no line may contain. Never throws. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Returns the error for a damaged line. It contains only the line's number, because the line may contain health data. */
export function damagedLine(at: number, why = 'is damaged'): ServiceError {
  return new ServiceError('invalid_file', `Line ${at} of the recording ${why}. Nothing was changed.`, {
    suggestions: ['If the last line was cut off, remove it: everything before it can be replayed.'],
  })
}

function noRecording(): ServiceError {
  return new ServiceError('invalid_file', 'The file is not a recording. Nothing was changed.', {
    suggestions: ['`svc engine record FILE` creates a recording.'],
  })
}
