/** `svc timeseries get`. */
import { boolean, integer, string } from '@oclif/core/flags'
import { resourceNamed } from '../../catalogue/resources.ts'
import { resourceArgument, userArgument } from '../../cli/arguments/arguments.ts'
import { dateReader, repeatableFlags } from '../../cli/arguments/dates.ts'
import { WHEN_HELP } from '../../cli/arguments/when.ts'
import { checkOutFile, savedView, saveFile, writeStdout } from '../../cli/output/output-file.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { isGiven } from '../../cli/runtime/command-line.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { forceFlag, outputFlag, safeCsvFlag } from '../../cli/runtime/shared-flags.ts'
import { newestSamples, type ReadWindow } from '../../cli/samples/latest-pages.ts'
import { checkDrawable } from '../../cli/samples/sample-chart.ts'
import { renderSamples, type SampleFormat } from '../../cli/samples/sample-output.ts'
import { countSamples, samplePages } from '../../cli/samples/sample-pages.ts'
import { sampleFormat } from '../../cli/samples/sample-target.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatCount } from '../../core/text.ts'
import { formatInstant } from '../../core/time.ts'
import type { GroupedPage } from '../../engine/readings/sample-order.ts'
import { progressBar } from '../../output/progress.ts'

export default class TimeseriesGet extends SvcCommand {
  static override summary = 'Read or chart the samples in a range'
  static override description =
    "A date is a day, month or year in the user's time zone (UTC if none is set), an ISO 8601 date-time, today, " +
    'yesterday, or a duration before now (12h, 7d). All pages are read. With --limit or --page there can be more ' +
    'results; stderr then shows the next cursor, which is also next_cursor in json. csv, ndjson and tables are ' +
    'streamed. With -o and without --output, the file extension determines the format.'
  static override examples = toExamples(
    'ada steps --start 2026-11-01 --end 2026-11-07',
    'ada heartrate --start 2026-11-20 --provider whoop --output csv',
    'ada heartrate --start yesterday --chart',
    'ada glucose --latest 5',
    'ada glucose --start 2026-01-01 -o glucose.parquet',
  )
  static override args = { user: userArgument(), resource: resourceArgument() }
  static override flags = {
    start: string({ description: `Start date, inclusive: ${WHEN_HELP}`, helpValue: 'DATE' }),
    end: string({ description: 'End date, inclusive; defaults to now', helpValue: 'DATE' }),
    provider: string({ description: 'Only this provider', helpValue: 'SLUG' }),
    limit: integer({ min: 1, description: 'Return at most N samples, oldest first', helpValue: 'N' }),
    latest: integer({
      min: 1,
      description: 'Return the newest N samples, oldest first; --start is optional then',
      helpValue: 'N',
      exclusive: ['limit', 'cursor', 'page'],
    }),
    cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR' }),
    page: boolean({ description: 'Return one page, as the service sends it' }),
    all: boolean({ description: 'Read all pages; this is the default', exclusive: ['limit', 'page'] }),
    chart: boolean({ description: 'Draw a chart in the terminal, with one panel for each source' }),
    out: string({ char: 'o', description: 'Write to a file', helpValue: 'FILE' }),
    force: forceFlag(),
    'safe-csv': safeCsvFlag(),
    output: outputFlag('parquet', 'svg'),
  }

  /** The flags to repeat with the next cursor. */
  private again = ''

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TimeseriesGet)
    const file = this.fileFormat
    const wanted = file === undefined || file === 'arrow' ? this.format : file
    // With -o, --json formats the summary line, not the file.
    const isChosen =
      isGiven(this.argv, 'output') ||
      (flags.out === undefined && (isGiven(this.argv, 'json') || this.selection !== undefined))
    const format = sampleFormat({ ...flags, formatFlag: isChosen ? wanted : undefined, otherwise: wanted })
    if (flags.start === undefined && flags.latest === undefined) {
      throw new ServiceError('usage', '--start is missing. Give --start, or --latest for the newest samples.')
    }
    const resource = resourceNamed(args.resource)
    if (format === 'chart' || format === 'svg') checkDrawable(resource)
    if (flags.out !== undefined) await checkOutFile(flags.out, flags.force)
    await this.withUser(args.user, async user_id => {
      const { provider, cursor, limit, page: isOnePage, out, force } = flags
      const client = await this.client()
      const when = dateReader(client, user_id)
      const start = await when('start', '--start', flags.start)
      const end = await when('end', '--end', flags.end)
      this.again = repeatableFlags({ '--start': [flags.start, start], '--end': [flags.end, end] })
      // Only a partly written file needs cleanup. Without a file, Ctrl-C can end the process immediately.
      const signal = out === undefined ? undefined : interruptSignal()
      const wanted = { userId: user_id, resource: args.resource, start, end, provider }
      const read = (
        start_date: string,
        end_date: string | undefined,
        next_cursor: string | null,
      ): Promise<GroupedPage> => {
        if (signal?.aborted) throw new ServiceError('cancelled', 'Cancelled.')
        const query = { start_date, end_date, provider, next_cursor }
        const input = { params: { user_id, resource: args.resource }, query }
        return this.ask('timeseries.grouped', input, signal ? { signal } : {})
      }
      // either --start or --latest is given
      const from = start ?? ''
      const inWindow: ReadWindow = ({ first, last }, at) => read(formatInstant(first), formatInstant(last), at)
      const pages =
        flags.latest === undefined
          ? samplePages(at => read(from, end, at), { traversal: { ...wanted, start: from }, cursor, limit, isOnePage })
          : newestSamples(client, inWindow, { ...wanted, count: flags.latest })
      await this.printSamples(
        format,
        args.resource,
        pages,
        out === undefined ? undefined : { file: out, mayReplace: force },
      )
    })
  }

  private async printSamples(
    format: SampleFormat,
    resource: string,
    pages: AsyncIterable<GroupedPage>,
    out?: { readonly file: string; readonly mayReplace: boolean },
  ): Promise<void> {
    const isStreamed = out === undefined && ['csv', 'ndjson', 'table'].includes(format)
    const bar = progressBar('Reading', { quiet: this.isQuiet || isStreamed })
    let next: string | null = null
    let samples = 0
    const watched = async function* (): AsyncGenerator<GroupedPage> {
      for await (const page of pages) {
        next = page.next_cursor
        samples += countSamples(page)
        bar.update(0, 0, `${formatCount(samples)} samples`)
        yield page
      }
      bar.end()
    }
    try {
      const screen = { ...this.screen(out?.file), isSafeCsv: this.isSafeCsv }
      const pieces = (wanted: SampleFormat) => renderSamples(wanted, resource, watched(), screen)
      if (out === undefined && this.selection) {
        const { selectedPieces } = await import('../../cli/scripting/selected.ts')
        const style = { hasLines: format === 'ndjson', isTerminal: screen.isTerminal }
        await writeStdout(selectedPieces(this.selection, style, pieces))
      } else if (out === undefined) {
        await this.write(pieces(format), format)
      } else {
        const isDrawn = format === 'chart' || format === 'svg'
        const { file, mayReplace } = out
        const saved = await saveFile(file, pieces(format), {
          mayReplace,
          countRows: () => (isDrawn ? undefined : samples),
        })
        await this.print(saved, savedView(saved))
      }
    } finally {
      bar.end()
    }
    if (next !== null) this.hint(`More results: add ${this.again}--cursor ${next}`)
  }
}
