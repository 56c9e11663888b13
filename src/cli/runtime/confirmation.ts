/** Asks before something that cannot be undone, or wants to be told not to ask. */
import { ServiceError } from '../../core/errors.ts'

export interface Confirmation {
  /** `Deleting a snapshot`: begins a sentence. */
  readonly doing: string
  readonly question: string
  /** `the snapshot is still there`: ends a sentence. */
  readonly kept: string
}

/** Throws ServiceError `missing_input` where nobody can be asked, and `cancelled` for a no. */
export async function confirm(canAsk: boolean, { doing, question, kept }: Confirmation): Promise<void> {
  if (!canAsk) throw new ServiceError('missing_input', `${doing} needs --yes where nobody can be asked.`)
  const { askConfirmation } = await import('./prompt.ts')
  if (await askConfirmation(question)) return
  throw new ServiceError('cancelled', `Cancelled: ${kept}.`, { suggestions: ['Answer y, or give --yes, to do it.'] })
}
