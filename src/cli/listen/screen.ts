/** Output of one run of `svc listen`: stdout in the requested format, and stderr. */
import { once } from 'node:events'
import type { OutputFormat } from '../../output/render.ts'
import { showsColor } from '../../output/tone.ts'
import { Board } from './board.ts'
import { eventWriter } from './event-writer.ts'
import type { ListenOptions } from './session.ts'

interface ScreenOptions {
  readonly format: OutputFormat
  readonly withPayload: boolean
  /** Returns the output of --fields or --jq for an event. */
  readonly select: ((record: object) => string) | undefined
  /** Writes a line to stderr, unless --quiet is set. */
  readonly remark: (line: string) => void
}

export function openScreen(options: ScreenOptions): Pick<ListenOptions, 'board' | 'write' | 'drained'> {
  const { stdout } = process
  const color = showsColor(stdout)
  return {
    board: new Board(text => stdout.write(text), options.remark),
    write: eventWriter({ ...options, color }),
    drained: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain')
    },
  }
}
