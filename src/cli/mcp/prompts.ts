/** Prompts for common questions, which name the tools for answering them. */
import type { CompleteRequest, CompleteResult } from '@modelcontextprotocol/sdk/types.js'
import type { ServiceClient } from '../../client/client.ts'
import { invalid } from '../../core/errors.ts'
import { completeValues, type ValueSource } from '../completion/values.ts'

interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
  /** Sources of the argument's values; without sources, any text is accepted. */
  readonly sources?: readonly ValueSource[]
}

/** One prompt. */
export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: PromptArgument[]
  /** Returns the text. All required arguments must be given. */
  readonly text: (given: Readonly<Record<string, string | undefined>>) => string
}

const USER: PromptArgument = {
  name: 'user',
  description: 'user_id or client_user_id',
  required: true,
  sources: ['users'],
}
const RESOURCE: readonly ValueSource[] = ['resources', 'summaries']
const optional = (name: string, description: string, ...sources: readonly ValueSource[]): PromptArgument => ({
  name,
  description,
  required: false,
  sources,
})

/** Maximum number of values in one response, as the protocol allows. */
const MOST_VALUES = 100

const CLOCK = "Call service_get with action clock first, to find out today's date."
const HONEST =
  'Say which provider each figure comes from, and say so if data is missing. Do not estimate missing values, and do not diagnose.'

/** Every prompt, by name. */
export const PROMPTS: readonly Prompt[] = [
  {
    name: 'sleep_of_user',
    title: 'How did a user sleep?',
    description: "A user's sleep in a date range; defaults to the last seven nights",
    arguments: [USER, optional('start', 'First day, YYYY-MM-DD'), optional('end', 'Last day, YYYY-MM-DD')],
    text: ({ user, start, end }) =>
      `How did the user "${user}" sleep ${describePeriod(start, end, 'in the last seven nights')}?\n\n${CLOCK} Read the nights with ` +
      'summaries_get (resource sleep). If several providers describe a night, say which one you use and why. Give time asleep, ' +
      `deep and REM sleep, efficiency and the lowest heart rate of each night in a table, then the trend in two sentences. ${HONEST}`,
  },
  {
    name: 'failed_webhooks',
    title: 'Which webhooks failed, and why?',
    description: 'Deliveries that are dead or failing, with their causes',
    arguments: [optional('since', 'Start, YYYY-MM-DD or a date-time; defaults to 24 hours ago')],
    text: ({ since }) =>
      `Which webhooks failed ${since === undefined ? 'in the last 24 hours' : `since ${since}`}, and why?\n\n${CLOCK} List the ` +
      'endpoints with webhooks_get. List events with events_list, once with state dead and once with state failing. Read the ' +
      'attempts of some events of each endpoint with events_get. Group the failures by endpoint and cause (status, timeout, refused URL), with the number of events and the time of the first and the last one. End with what to do for each cause.',
  },
  {
    name: 'compare_sources',
    title: 'Compare two sources',
    description: 'How closely two providers agree on one resource of a user',
    arguments: [
      USER,
      {
        name: 'resource',
        description: 'Resource such as steps, heartrate or sleep',
        required: true,
        sources: RESOURCE,
      },
      optional('first', 'Slug of the first provider', 'providers'),
      optional('second', 'Slug of the second provider', 'providers'),
      optional('start', 'First day, YYYY-MM-DD'),
      optional('end', 'Last day, YYYY-MM-DD'),
    ],
    text: ({ user, resource, first, second, start, end }) =>
      `Compare ${first === undefined && second === undefined ? 'the sources' : [first, second].filter(Boolean).join(' and ')} of ` +
      `"${resource}" for the user "${user}" ${describePeriod(start, end, 'over the last four weeks')}.\n\n${CLOCK} Find the providers ` +
      'with data_sources (action resources). Compute a value for each day and provider with aggregate_query; group by day and by ' +
      'source provider (aggregate_columns lists the columns). Use aggregate_explain to see which source the service prefers. ' +
      `Report the mean difference, the days with the largest differences, and days that only one source covers. ${HONEST}`,
  },
  {
    name: 'lab_results',
    title: 'Summarize lab results',
    description: "Results of a user's lab orders, or of one order",
    arguments: [USER, optional('order_id', 'ID of one order; defaults to the newest order with results', 'orders')],
    text: ({ user, order_id }) =>
      `Summarize the lab results of ${order_id === undefined ? `the newest lab order of the user "${user}"` : `the lab order ${order_id} of the user "${user}"`}.\n\n` +
      `${order_id === undefined ? 'Find the order with orders_list. ' : ''}Read its results with orders_get (action results). List ` +
      'the results outside their reference range first, each with value, unit and range, then the number of normal ones, then ' +
      `missing results. If results are critical, begin with them. ${HONEST}`,
  },
  {
    name: 'missing_data',
    title: 'Why is data missing?',
    description: "A user's connections, pulls and imports, and what they show about missing data",
    arguments: [USER, optional('resource', 'Resource such as steps or sleep; defaults to all', ...RESOURCE)],
    text: ({ user, resource }) =>
      `Why is ${resource === undefined ? 'data' : `"${resource}" data`} of the user "${user}" missing?\n\n${CLOCK} Check ` +
      'users_get (ingestion bounds), then data_sources with each of its actions: connections in the error state, resources that a ' +
      'connection does not deliver, pulls that failed or still run, imports. Give the most likely cause with its evidence, and ' +
      'what to do.',
  },
]

/** Returns the text of a prompt. Throws ServiceError `invalid_request` for an argument that is missing or unknown. */
export function promptText(prompt: Prompt, given: Readonly<Record<string, string>>): string {
  const known = prompt.arguments.map(({ name }) => name)
  const missing = prompt.arguments.filter(({ name, required }) => required && !given[name]?.trim())
  const unknown = Object.keys(given).filter(name => !known.includes(name))
  const issues = [
    ...missing.map(({ name }) => ({ loc: ['arguments', name], msg: 'is required', type: 'missing' })),
    ...unknown.map(() => ({ loc: ['arguments'], msg: `can only be ${known.join(', ')}`, type: 'extra' })),
  ]
  if (issues.length > 0) throw invalid(issues)
  // clients send an omitted optional argument as an empty string
  return prompt.text(Object.fromEntries(Object.entries(given).filter(([, value]) => value.trim() !== '')))
}

/** Returns the argument values that start with the typed text; an empty list for an unknown argument or one without sources. */
export async function argumentValues(
  client: ServiceClient,
  { ref, argument }: CompleteRequest['params'],
): Promise<CompleteResult> {
  const prompt = ref.type === 'ref/prompt' ? PROMPTS.find(({ name }) => name === ref.name) : undefined
  const sources = prompt?.arguments.find(({ name }) => name === argument.name)?.sources ?? []
  // do not close the client: it belongs to the session, which continues
  const open = async () => ({ call: client.call.bind(client), close: async () => {} })
  const found = await Promise.all(sources.map(source => completeValues(source, argument.value, open)))
  const values = [...new Set(found.flat().map(({ value }) => value))]
  const total = values.length
  return { completion: { values: values.slice(0, MOST_VALUES), total, hasMore: total > MOST_VALUES } }
}

function describePeriod(start: string | undefined, end: string | undefined, otherwise: string): string {
  if (start === undefined && end === undefined) return otherwise
  if (end === undefined) return `since ${start}`
  return start === undefined ? `in the week that ends on ${end}` : `from ${start} to ${end}`
}
