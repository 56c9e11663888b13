/** `svc timeseries get`. */
import { boolean, integer, string } from '@oclif/core/flags'
import { resourceNamed } from '../../catalogue/resources.ts'
import { resourceArgument, userArgument } from '../../cli/arguments/arguments.ts'
import { saveFile, writeStdout } from '../../cli/runtime/answer-file.ts'
import { outputFlag, SvcCommand, safeCsvFlag } from '../../cli/runtime/base-command.ts'
import { isGiven } from '../../cli/runtime/command-line.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { type SampleFormat, type Screen, sampleAnswer } from '../../cli/samples/sample-answer.ts'
import { checkDrawable } from '../../cli/samples/sample-chart.ts'
import { countOf, type Page, samplePages } from '../../cli/samples/sample-pages.ts'
import { sampleFormat } from '../../cli/samples/sample-target.ts'
import { ServiceError } from '../../core/errors.ts'
import { progressBar } from '../../output/progress.ts'
import { factSheet } from '../../output/view.ts'

export default class TimeseriesGet extends SvcCommand {
  static override summary = 'Read or chart the samples of a range'
  static override description =
    'Dates are YYYY-MM-DD or ISO 8601 date-times, in UTC unless they carry an offset. A date alone means the ' +
    'whole UTC day. All pages are read. With --limit or --page there can be more results; then stderr names the ' +
    'next cursor, which is also next_cursor in json. csv and ndjson are written while they are read. With -o ' +
    'and without --output, the file extension decides the format.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> ada steps --start 2026-11-01 --end 2026-11-07',
    '<%= config.bin %> <%= command.id %> ada heartrate --start 2026-11-20 --provider whoop --output csv',
    '<%= config.bin %> <%= command.id %> ada heartrate --start 2026-11-20 --chart',
    '<%= config.bin %> <%= command.id %> ada glucose --start 2026-01-01 -o glucose.parquet',
  ]
  static override args = { user: userArgument(), resource: resourceArgument() }
  static override flags = {
    start: string({ required: true, description: 'Start date, inclusive', helpValue: 'DATE' }),
    end: string({ description: 'End date, inclusive; defaults to now', helpValue: 'DATE' }),
    provider: string({ description: 'Only this provider', helpValue: 'SLUG' }),
    limit: integer({ min: 1, description: 'Return at most N samples, oldest first', helpValue: 'N' }),
    cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR' }),
    page: boolean({ description: 'Return one page, as the service sends it' }),
    chart: boolean({ description: 'Draw a chart in the terminal, with one panel for each source' }),
    out: string({ char: 'o', description: 'Write to a file', helpValue: 'FILE' }),
    'safe-csv': safeCsvFlag(),
    output: outputFlag('parquet', 'svg'),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TimeseriesGet)
    const file = this.fileFormat
    const wanted = file === undefined || file === 'arrow' ? this.format : file
    // With -o, --json formats the summary line, not the file.
    const isChosen = isGiven(this.argv, 'output') || (flags.out === undefined && isGiven(this.argv, 'json'))
    const format = sampleFormat({ ...flags, formatFlag: isChosen ? wanted : undefined, otherwise: wanted })
    const resource = resourceNamed(args.resource)
    if (format === 'chart' || format === 'svg') checkDrawable(resource)
    await this.withUser(args.user, async user_id => {
      const { start, end, provider, cursor, limit, page: isOnePage, out } = flags
      // Only a partly written file needs cleaning up; otherwise Ctrl-C can end the process immediately.
      const signal = out === undefined ? undefined : interruptSignal()
      const hasTypeInKey = resource?.discriminator !== undefined
      const walk = { userId: user_id, resource: args.resource, start, end, provider, hasTypeInKey }
      const read = (next_cursor: string | null): Promise<Page> => {
        if (signal?.aborted) throw new ServiceError('cancelled', 'Cancelled.')
        const query = { start_date: start, end_date: end, provider, next_cursor }
        const input = { params: { user_id, resource: args.resource }, query }
        return this.ask('timeseries.grouped', input, signal ? { signal } : {})
      }
      await this.show(format, args.resource, samplePages(read, { walk, cursor, limit, isOnePage }), out)
    })
  }

  private async show(format: SampleFormat, resource: string, pages: AsyncIterable<Page>, out?: string): Promise<void> {
    const isStreamed = out === undefined && (format === 'csv' || format === 'ndjson')
    const bar = progressBar('Reading', { quiet: this.isQuiet || isStreamed })
    let next: string | null = null
    let samples = 0
    const watched = async function* (): AsyncGenerator<Page> {
      for await (const page of pages) {
        next = page.next_cursor
        samples += countOf(page)
        bar.update(0, 0, `${samples.toLocaleString('en')} samples`)
        yield page
      }
      bar.end()
    }
    try {
      const pieces = sampleAnswer(format, resource, watched(), this.screen(out))
      if (out === undefined) {
        await writeStdout(pieces)
      } else {
        const saved = await saveFile(out, pieces)
        await this.print(saved, factSheet({ ...saved }))
      }
    } finally {
      bar.end()
    }
    if (next !== null) this.hint(`More results: add --cursor ${next}`)
  }

  private screen(out: string | undefined): Screen {
    const { isTTY, columns, rows } = process.stdout
    const { isSafeCsv } = this
    if (out !== undefined || !isTTY) {
      return { isTerminal: false, width: undefined, height: undefined, color: false, isSafeCsv }
    }
    const color = !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'
    // A terminal that does not know its size reports 0.
    return { isTerminal: true, width: columns || undefined, height: rows || undefined, color, isSafeCsv }
  }
}
