/** Lists the samples that made a number. */
import { resourceNamed } from '../../../catalogue/resources.ts'
import { present } from '../../../core/present.ts'
import { formatFloating } from '../../../core/time.ts'
import { rowChecker } from '../scan/implausible.ts'
import { cellOf } from './cells.ts'
import { OriginList, sampleOrigins } from './origins.ts'
import type { RowsAsked, RowsFound } from './rows-found.ts'
import { findSamples } from './samples.ts'

/** Finds the samples of a question about the timeseries table. */
export async function listSamples(asked: RowsAsked): Promise<RowsFound> {
  const { question, executed, collected, limit, order, winners, why, signal } = asked
  const { argument } = question.aggregate
  const name = argument.kind === 'sample' ? (argument.resource ?? '') : ''
  const resource = present(resourceNamed(name), 'the resource of the column')
  const { window } = question.planned
  const found = await findSamples({
    ...{ executed, collected, resource, argument, window, limit, signal },
    order: executed.plan.merges ? order : winners,
  })
  const used = found.used.list()
  const { sources, at } = found.sources.list(order, why)
  const origins = new OriginList()
  const own = await sampleOrigins(asked.origins, resource, used)
  const cell = (value: number) => cellOf(argument.type, value, executed.pool)
  const samples = used.map((sample, i) => {
    const { names, block, row, start, end, shift, value, counted, parts, kind } = sample
    return {
      source: at(names),
      start: formatFloating(start + shift),
      end: formatFloating(end + shift),
      timezone_offset: shift / 1000,
      value: cell(value),
      counted: cell(counted),
      parts,
      kind,
      implausible: rowChecker(block)(row, block.stored?.value[row] ?? Number.NaN),
      origin: origins.at(present(own[i], 'an origin')),
    }
  })
  return {
    ...{ sources, samples, samples_total: found.used.total },
    ...{ records: [], records_total: 0 },
    leftOut: found.leftOut.list(),
    origins: origins.list,
  }
}
