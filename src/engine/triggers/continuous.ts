/** Causes continuous query events: creates data that is read by one of the team's queries, and runs the query. */
import { dailyCreated } from '../../catalogue/event-types.ts'
import { resourceNamed } from '../../catalogue/resources.ts'
import type { ContinuousQuery } from '../../store/continuous-query.ts'
import { runContinuousQuery } from '../continuous/run.ts'
import { type Cause, cannot } from './cause.ts'
import { givenText, refuseGiven } from './given.ts'
import { changeSamples } from './samples.ts'
import { changeSummary } from './summaries.ts'

/** Entries of a query's `reads` for which data can be created. */
const READS = /^(timeseries|summary)\/(.+)$/

export const changeResultTable: Cause = async wanted => {
  const { engine, call, user, given, count } = wanted
  refuseGiven(given, ['data.query_slug'])
  const asked = givenText(given, 'query_slug')
  const queries = (await engine.store.continuous.ofTeam(user.teamId)).filter(each => each.dataEvents)
  const query = queries.find(each => (asked === undefined ? changeSource(each) !== undefined : each.slug === asked))
  const source = query && changeSource(query)
  if (!query || !source) {
    throw cannot(
      asked === undefined
        ? 'The team has no continuous query that sends events.'
        : 'The team has no continuous query with this name that sends events and reads data that can be created.',
      "Create one: svc aggregate watch create steps --select 'sum(steps)' --group-by 1d",
    )
  }
  for (let i = 0; i < count; i++) {
    await source.change({ ...wanted, type: source.type, given: [], count: 1 })
    const { userId } = user
    const before = await engine.store.events.lastOfUser(userId)
    await runContinuousQuery(engine, userId, query.queryId, { now: call.now, signal: call.signal })
    if ((await engine.store.events.lastOfUser(userId)) > before) continue
    throw cannot(
      `The data is stored, but ${query.slug} cannot run again yet (its minimum gap), or its result stayed the same.`,
      '`svc engine clock advance 1h` lets it run. `svc aggregate watch history USER QUERY` shows its runs.',
    )
  }
}

/** Returns a cause whose change affects the query. */
function changeSource({ reads }: ContinuousQuery): { readonly type: string; readonly change: Cause } | undefined {
  for (const each of reads) {
    const [, table, name = ''] = READS.exec(each) ?? []
    if (table === 'summary') return { type: dailyCreated(name), change: changeSummary }
    const resource = table === 'timeseries' ? resourceNamed(name) : undefined
    if (resource) return { type: dailyCreated(resource.queryName), change: changeSamples }
  }
  return undefined
}
