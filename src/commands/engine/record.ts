/** `svc engine record`. */
import { string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { stopListening } from '../../cli/runtime/interrupt.ts'
import { ServiceError } from '../../core/errors.ts'
import { parseDuration } from '../../core/time.ts'
import { progressBar } from '../../output/progress.ts'
import { sizeText } from '../../output/throughput.ts'
import { factSheet } from '../../output/view.ts'

export default class EngineRecord extends SvcCommand {
  static override summary = 'Record what comes into the engine, until Ctrl-C'
  static override description =
    'Users, links, imports, pushes, orders, deletions, moves of the clock and what falls due: every change of every process on ' +
    'the data folder, a running `svc serve` too, as a line of JSON. The file begins with the state that there was, and ' +
    '`engine replay` makes the same ids and bytes of it. Passwords, codes and API keys are not in it; health data are.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> bug.ndjson',
    '<%= config.bin %> <%= command.id %> session.ndjson --for 10m',
    '<%= config.bin %> <%= command.id %> test.ndjson --until-idle 5s --json',
  ]
  static override args = { file: stringArg({ required: true, description: 'the file to write; it must not be there' }) }
  static override flags = {
    for: string({ description: 'end after this long', helpValue: 'DURATION' }),
    'until-idle': string({ description: 'end when nothing was recorded for this long', helpValue: 'DURATION' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineRecord)
    const mostMs = durationOf('--for', flags.for)
    const idleMs = durationOf('--until-idle', flags['until-idle'])
    const until = endOfRecording()
    const progress = progressBar('Recording', { quiet: this.isQuiet })
    const { record } = await import('../../cli/recording/recorder.ts')
    try {
      const recorded = await record(await this.client(), args.file, {
        until,
        mostMs,
        idleMs,
        onStart: () => {
          process.stderr.write(`Warning: ${args.file} will hold health data; keep it safe.\n`)
          this.hint('Recording. Ctrl-C ends it.')
        },
        onEntries: (entries, bytes) => progress.update(0, 0, `${entries} changes · ${sizeText(bytes)}`),
      })
      progress.end()
      await this.print(recorded, factSheet({ ...recorded }))
      this.hint(`On an empty data folder it can be replayed: svc engine replay ${args.file} --data-dir FOLDER`)
    } finally {
      progress.end()
    }
  }
}

/** Ctrl-C is the ordinary end; a second one ends the process at once. */
function endOfRecording(): AbortSignal {
  stopListening()
  const controller = new AbortController()
  const end = (): void => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  return controller.signal
}

function durationOf(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0) return ms
  throw new ServiceError('usage', `${flag} takes a duration such as 30s, 10m (minutes) or 2h.`)
}
