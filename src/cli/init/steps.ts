/** The steps of `svc init`, which are the first tasks of a new user. Each step is an ordinary command. */

export interface InitStep {
  readonly name: 'user' | 'connection' | 'data' | 'query'
  readonly title: string
  /** Explanation of the step. */
  readonly about: string
  readonly command: readonly string[]
}

export interface Choice {
  readonly user: string
  readonly provider: string
}

/** Time range of the demo data that the steps read. */
const PAST = '4w'
const PAST_DAYS = 7
const DAY_MS = 86_400_000

/** Returns the steps in order. `now` is the engine's time, in milliseconds. */
export function stepsFor({ user, provider }: Choice, now: number): readonly InitStep[] {
  const start = new Date(now - PAST_DAYS * DAY_MS).toISOString().slice(0, 10)
  return [
    {
      name: 'user',
      title: 'Create a user',
      about: 'A user is a person whose data you collect. You choose the client_user_id.',
      command: ['user', 'create', user],
    },
    {
      name: 'connection',
      title: 'Connect a provider',
      about: 'A demo connection is simulated: it adds 30 days of data, and the user is deleted after 7 days.',
      command: ['link', 'demo', user, provider],
    },
    {
      name: 'data',
      title: 'Get data',
      about: 'A summary describes a day, a night, a workout or a meal.',
      command: ['summary', 'get', user, 'activity', '--start', start],
    },
    {
      name: 'query',
      title: 'Run a query',
      about: 'An aggregate query computes statistics over the data of a user.',
      command: ['aggregate', 'query', user, '--select', 'mean(activity.steps)', '--group-by', '1w', '--past', PAST],
    },
  ]
}
