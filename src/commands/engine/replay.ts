/** `svc engine replay`. */
import { string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { importSource } from '../../cli/imports/import-source.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import type { CallProgress } from '../../client/client.ts'
import { progressBar } from '../../output/progress.ts'
import { Throughput } from '../../output/throughput.ts'
import { factSheet } from '../../output/view.ts'
import { parseTimeout } from '../../profile/settings.ts'

const TITLES: Partial<Record<CallProgress['phase'], string>> = {
  sending: 'Sending',
  reading: 'Replaying',
  storing: 'Putting in place',
}

export default class EngineReplay extends SvcCommand {
  static override summary = 'Replay a recording to the same ids and bytes'
  static override description =
    'On an empty store: what was recorded happens again, each change at its time and with its chance, and the result takes the ' +
    'place of the empty store in one step. A damaged recording, one that ends otherwise than it did, and Ctrl-C change nothing. ' +
    'Then the clock stands still where the recording ended. Webhooks are not sent for what is replayed.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> bug.ndjson --data-dir ./again',
    'gunzip -c bug.ndjson.gz | <%= config.bin %> <%= command.id %> - --json',
  ]
  static override args = { file: stringArg({ required: true, description: 'the recording; - is stdin' }) }
  static override flags = {
    'stall-timeout': string({
      description: 'longest wait for the next bytes of stdin or a FIFO',
      default: '60s',
      env: 'SVC_STALL_TIMEOUT',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineReplay)
    const signal = interruptSignal()
    const body = await importSource(args.file, { stallMs: parseTimeout(flags['stall-timeout']), signal })
    const progress = progressBar('Replaying', { quiet: this.isQuiet })
    const throughput = new Throughput()
    let phase: string | undefined
    const onProgress = (at: CallProgress): void => {
      if (at.phase !== phase) progress.phase(TITLES[at.phase] ?? 'Replaying')
      phase = at.phase
      if (at.phase !== 'storing') progress.update(at.doneBytes, at.totalBytes, throughput.say(at))
    }
    try {
      const report = await this.ask('recording.replay', { body }, { signal, onProgress })
      progress.end()
      await this.print(report, factSheet(report))
      if (!report.complete) {
        process.stderr.write(
          'Warning: the recording breaks off without its last line; everything before it was replayed.\n',
        )
      }
      this.hint('The clock stands still where the recording ended: svc engine clock freeze --off lets it run on.')
    } finally {
      progress.end()
    }
  }
}
