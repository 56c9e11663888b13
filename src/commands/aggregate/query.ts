/** `svc aggregate query`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import { writeDataset } from '../../cli/aggregate/dataset-run.ts'
import {
  aliasesFromFlags,
  anchorDay,
  buildQueryBatch,
  queryCount,
  queryFlags,
  refuseAliases,
  resolveUserAndFile,
} from '../../cli/aggregate/query.ts'
import { type Aliases, renamedResponse } from '../../cli/aggregate/renamed.ts'
import { renderArchive } from '../../cli/aggregate/response.ts'
import { fetchArchive } from '../../cli/aggregate/tables.ts'
import { checkOne, type QueryTarget, queryTarget } from '../../cli/aggregate/target.ts'
import { warningLines } from '../../cli/aggregate/warnings.ts'
import { checkOutFile, type Pieces, savedView, saveFile, writeStdout } from '../../cli/output/output-file.ts'
import type { OnHeaders } from '../../cli/output/response-bytes.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { isGiven } from '../../cli/runtime/command-line.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { forceFlag, outputFlag, safeCsvFlag } from '../../cli/runtime/shared-flags.ts'
import type { QueryBatchInput } from '../../contract/aggregates/aggregate.ts'
import { ServiceError } from '../../core/errors.ts'
import { factSheet } from '../../output/view.ts'
import { dataLocation } from '../../profile/settings.ts'

export default class AggregateQuery extends SvcCommand {
  static override summary = "Run an aggregate query over a user's data"
  static override description =
    'The query comes from a JSON file (- for stdin) or from flags. Times are the local times of the samples. Group ' +
    'keys are always selected. With -o, the file extension determines the format: .parquet, .csv, .ndjson, .arrow, ' +
    '.json, .svg, or .tar.gz for several queries (0.parquet, 1.parquet …). With --all-users, the results of all ' +
    'users are written to a folder as a Parquet dataset that DuckDB, Spark and Trino can read; after Ctrl-C, repeat ' +
    'the command to continue. `aggregate columns` lists the tables and columns that you can query.'
  static override examples = toExamples(
    "ada --select 'sum(steps)' --group-by 1d --past 1w",
    "ada --select 'mean(sleep.efficiency)' --group-by weekday --past 8w --output csv",
    "ada --select 'mean(efficiency) as quality' --where 'score > 60' --past 8w",
    "ada --select 'sum(steps)' --group-by 1d --past 1w --merge",
    "ada --select 'mean(heartrate)' --group-by 1h --past 2d --chart",
    'ada query.json -o out.tar.gz',
    '--all-users query.json -o dataset/',
  )
  static override readonly instead = {
    watch:
      '`svc aggregate watch create` stores the query and keeps its result up to date; `svc aggregate watch result` ' +
      'reads it.',
  }
  static override args = {
    user: stringArg({ description: 'User, as user_id or client_user_id; omit with --all-users' }),
    query: stringArg({ description: 'File with the request body; - reads stdin' }),
  }
  static override flags = {
    ...queryFlags,
    'print-query': boolean({
      description: 'Print the request body that the flags produce, and exit',
      exclusive: ['fields', 'jq'],
    }),
    chart: boolean({ description: 'Chart the numeric columns against the first time column' }),
    'all-users': boolean({ description: 'Run the query for all users and write a dataset to the folder given by -o' }),
    out: string({ char: 'o', description: 'Write to a file, or to a folder with --all-users', helpValue: 'FILE' }),
    force: forceFlag(),
    'safe-csv': safeCsvFlag(),
    output: outputFlag('parquet', 'arrow', 'svg'),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AggregateQuery)
    const isForAll = flags['all-users']
    const { user, file } = resolveUserAndFile(args, isForAll)
    const target = isForAll || flags['print-query'] ? undefined : this.target(flags)
    if (flags['print-query']) await refuseAliases(flags, 'The request body cannot contain it.')
    if (target && flags.out !== undefined) await checkOutFile(flags.out, flags.force)
    const client = await this.client()
    const aliases = await aliasesFromFlags(flags)
    const batch = await buildQueryBatch(file, flags, anchor => anchorDay(client, user, anchor))
    if (flags['print-query']) return void process.stdout.write(`${JSON.stringify(batch, null, 2)}\n`)
    if (target) {
      const { out, force } = flags
      const how = file === undefined ? 'flags' : 'file'
      return this.printTable(user as string, batch, { target, aliases, out, force, how })
    }
    if (flags.chart) throw new ServiceError('usage', '--all-users writes Parquet. Leave out --chart.')
    const saved = await writeDataset(client, batch, flags.out, {
      origin: dataLocation(this.settings),
      aliases,
      quiet: this.isQuiet,
      hint: line => this.hint(line),
    })
    await this.print(saved, factSheet({ ...saved }))
  }

  private target(flags: { readonly chart: boolean; readonly out: string | undefined }): QueryTarget {
    const wanted = this.fileFormat ?? this.format
    // With -o, --json formats the summary line, not the file.
    const isChosen =
      isGiven(this.argv, 'output') ||
      (flags.out === undefined && (isGiven(this.argv, 'json') || this.selection !== undefined))
    const { chart, out } = flags
    return queryTarget({ chart, out, formatFlag: isChosen ? wanted : undefined, otherwise: wanted })
  }

  private async printTable(
    user: string,
    batch: QueryBatchInput,
    { target, aliases, out, force, how }: Rendering,
  ): Promise<void> {
    let rows: number | undefined
    const onRows = (count: number) => {
      rows = (rows ?? 0) + count
    }
    checkOne(target, queryCount(batch))
    const onHeaders: OnHeaders = headers => {
      for (const line of warningLines(headers, batch.queries, how)) this.hint(line)
    }
    const piecesIn = (format: QueryTarget['format']) =>
      this.withUser(user, async user_id =>
        format === 'json'
          ? this.json(user_id, batch, { aliases, out, onRows, onHeaders })
          : renderArchive(
              await fetchArchive(await this.client(), user_id, batch, interruptSignal(), onHeaders),
              { ...target, format },
              {
                screen: this.screen(out),
                csv: { isSafe: this.isSafeCsv },
                queries: batch.queries,
                aliases,
                toFile: out !== undefined,
                onRows,
              },
            ),
      )
    if (out === undefined && this.selection) {
      const { selectedPieces } = await import('../../cli/scripting/selected.ts')
      const style = { hasLines: target.format === 'ndjson', isTerminal: process.stdout.isTTY === true }
      return void (await writeStdout(selectedPieces(this.selection, style, each => later(piecesIn(each)))))
    }
    const pieces = await piecesIn(target.format)
    if (out === undefined) return this.write(pieces, target.format)
    const saved = await saveFile(out, pieces, { mayReplace: force, countRows: () => rows })
    await this.print(saved, savedView(saved))
  }

  /** Yields the service's JSON response, unchanged except for the names from --select. */
  private async json(
    user_id: string,
    body: QueryBatchInput,
    { aliases, out, onRows, onHeaders }: Pick<Rendering, 'aliases' | 'out'> & JsonCallbacks,
  ): Promise<Pieces> {
    const options = { signal: interruptSignal(), onHeaders }
    const response = await this.ask('aggregate.query', { params: { user_id }, body }, options)
    for (const { table } of response.results) onRows(Object.values(table)[0]?.length ?? 0)
    const { bodyPieces } = await import('../../cli/aggregate/body.ts')
    return bodyPieces(renamedResponse(response, aliases), out === undefined && process.stdout.isTTY === true)
  }
}

interface JsonCallbacks {
  readonly onRows: (count: number) => void
  readonly onHeaders: OnHeaders
}

/** Options for printing a response. */
interface Rendering {
  readonly target: QueryTarget
  readonly aliases: Aliases | undefined
  readonly out: string | undefined
  readonly force: boolean
  /** How the query was given. */
  readonly how: 'flags' | 'file'
}

async function* later(pieces: Promise<Pieces>): Pieces {
  yield* await pieces
}
