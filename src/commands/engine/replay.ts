/** `svc engine replay`. */
import { string as stringArg } from '@oclif/core/args'
import { importSource } from '../../cli/imports/import-source.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { stallFlag } from '../../cli/runtime/shared-flags.ts'
import type { CallProgress } from '../../client/client.ts'
import { progressBar } from '../../output/progress.ts'
import { Throughput } from '../../output/throughput.ts'
import { factSheet } from '../../output/view.ts'
import { parseTimeout } from '../../profile/settings.ts'

const TITLES: Partial<Record<CallProgress['phase'], string>> = {
  sending: 'Sending',
  reading: 'Replaying',
  storing: 'Replacing the store',
}

export default class EngineReplay extends SvcCommand {
  static override summary = 'Replay a recording and reproduce the same IDs and bytes'
  static override description =
    'Needs an empty store. Repeats every recorded change, at its recorded time and with the same random values. The ' +
    'result replaces the empty store in one step. A damaged recording, a different outcome or Ctrl-C changes ' +
    'nothing. Afterwards, the clock is frozen at the time when the recording ended. Replayed changes send no ' +
    'webhooks.'
  static override examples = toExamples(
    'bug.ndjson --data-dir ./again',
    'gunzip -c bug.ndjson.gz | <%= config.bin %> <%= command.id %> - --json',
  )
  static override args = { file: stringArg({ required: true, description: 'Recording to replay; - reads stdin' }) }
  static override flags = {
    'stall-timeout': stallFlag(),
  }

  protected override readonly isPaged = false

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineReplay)
    this.refuseUnsupported('recordings')
    const signal = interruptSignal()
    const body = await importSource(args.file, { stallMs: parseTimeout(flags['stall-timeout']), signal })
    const progress = progressBar('Replaying', { quiet: this.isQuiet })
    const throughput = new Throughput()
    let phase: string | undefined
    const onProgress = (at: CallProgress): void => {
      if (at.phase !== phase) progress.phase(TITLES[at.phase] ?? 'Replaying')
      phase = at.phase
      if (at.phase !== 'storing') progress.update(at.doneBytes, at.totalBytes, throughput.format(at))
    }
    try {
      const report = await this.ask('recording.replay', { body }, { signal, onProgress })
      progress.end()
      await this.print(report, factSheet(report))
      if (!report.complete) {
        process.stderr.write(
          'Warning: the recording is cut off and has no last line. Everything before the cut was replayed.\n',
        )
      }
      this.hint('The clock is frozen where the recording ended. To let it run again: svc engine clock freeze --off')
    } finally {
      progress.end()
    }
  }
}
