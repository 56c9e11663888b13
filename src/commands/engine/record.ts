/** `svc engine record`. */
import { string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { listenForStop } from '../../cli/listen/stop.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { ServiceError } from '../../core/errors.ts'
import { parseDuration } from '../../core/time.ts'
import { progressBar } from '../../output/progress.ts'
import { sizeText } from '../../output/throughput.ts'
import { factSheet } from '../../output/view.ts'

export default class EngineRecord extends SvcCommand {
  static override summary = 'Record every change to the engine until Ctrl-C'
  static override description =
    'Writes one line of JSON for each change by any process on the data folder, including a running `svc serve`: ' +
    'users, links, imports, pushes, orders, deletions, clock changes and jobs. The file begins with the current ' +
    'state; `engine replay` reproduces the same IDs and bytes from it. The file contains health data, but no ' +
    'passwords, codes or API keys.'
  static override examples = toExamples('bug.ndjson', 'session.ndjson --for 10m', 'test.ndjson --until-idle 5s --json')
  static override args = { file: stringArg({ required: true, description: 'File to write; it must not exist' }) }
  static override flags = {
    for: string({ description: 'Stop after this duration', helpValue: 'DURATION' }),
    'until-idle': string({
      description: 'Stop when nothing has been recorded for this duration',
      helpValue: 'DURATION',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineRecord)
    this.refuseUnsupported('recordings')
    const mostMs = flagDuration('--for', flags.for)
    const idleMs = flagDuration('--until-idle', flags['until-idle'])
    const until = listenForStop(['SIGINT', 'SIGTERM']).signal
    const progress = progressBar('Recording', { quiet: this.isQuiet })
    const { saveRecording } = await import('../../cli/recording/recorder.ts')
    try {
      const recorded = await saveRecording(await this.client(), args.file, {
        until,
        mostMs,
        idleMs,
        onStart: () => {
          process.stderr.write(`Warning: ${args.file} will contain health data. Keep it safe.\n`)
          this.hint('Recording. Press Ctrl-C to stop.')
        },
        onEntries: (entries, bytes) => progress.update(0, 0, `${entries} changes · ${sizeText(bytes)}`),
      })
      progress.end()
      await this.print(recorded, factSheet({ ...recorded }))
      this.hint(`To replay it on an empty data folder: svc engine replay ${args.file} --data-dir FOLDER`)
    } finally {
      progress.end()
    }
  }
}

function flagDuration(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0) return ms
  throw new ServiceError('usage', `${flag} must be a duration such as 30s, 10m (minutes) or 2h.`)
}
