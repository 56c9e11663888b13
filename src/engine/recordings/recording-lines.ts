/** Reads the lines of a recording: one at a time, each checked, and a damaged one named by its number. */
import type { z } from 'zod'
import { fileLines } from '../../connectors/files/bytes/file-lines.ts'
import { type HeadLine, headLine, RECORDING_FORM, recordingLine } from '../../contract/engine/recording.ts'
import { ServiceError } from '../../core/errors.ts'

/** Bodies of calls are far smaller, and uploads stand on lines of a megabyte. */
const MOST_LINE_BYTES = 64 << 20

/** An entry's line, a line of the state it all begins with, or the last one. */
export type RecordingLine = z.output<ReturnType<typeof recordingLine>>
export type EntryLine = Exclude<RecordingLine, { readonly base: unknown } | { readonly end: unknown }>
export type CallLine = Extract<RecordingLine, { readonly operation: unknown }>

export interface NumberedLine {
  /** Where it stands in the file, from 1. */
  readonly at: number
  readonly line: { readonly head: HeadLine } | RecordingLine
  /** How far into the file reading has come. */
  readonly bytesRead: number
}

/** Throws ServiceError `invalid_file` for a file that is no recording, of a newer form, or has a damaged line. */
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
        yield { at, line: { head: headOf(bytes) }, bytesRead }
        isFirst = false
        continue
      }
      const found = schema.safeParse(jsonOf(bytes))
      if (!found.success) throw damaged(at)
      yield { at, line: found.data, bytesRead }
    }
  }
  if (isFirst) throw noRecording()
}

function headOf(bytes: Buffer): HeadLine {
  const value = jsonOf(bytes)
  const form = typeof value === 'object' && value !== null && 'svc_recording' in value ? value.svc_recording : undefined
  if (typeof form === 'number' && form > RECORDING_FORM) {
    throw new ServiceError(
      'invalid_file',
      `The recording is of form ${form}; this svc knows up to ${RECORDING_FORM}.`,
      {
        suggestions: ['Update svc.'],
      },
    )
  }
  const found = headLine().safeParse(value)
  if (!found.success || form !== RECORDING_FORM) throw form === undefined ? noRecording() : damaged(1)
  return found.data
}

/** Throws nothing: what is no JSON is undefined, which no line is. */
function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** The line may hold health data: only its number is told. */
export function damaged(at: number, why = 'is damaged'): ServiceError {
  return new ServiceError('invalid_file', `Line ${at} of the recording ${why}; nothing was changed.`, {
    suggestions: ['A last line that was cut off can be removed: what stands before it can be replayed.'],
  })
}

function noRecording(): ServiceError {
  return new ServiceError('invalid_file', 'The file is not a recording; nothing was changed.', {
    suggestions: ['`svc engine record FILE` makes one.'],
  })
}
