/** Asks for confirmation before something that cannot be undone, unless --yes is given. */
import { ServiceError } from '../../core/errors.ts'

export interface Confirmation {
  /** Starts a sentence: `Deleting a snapshot`. */
  readonly doing: string
  readonly question: string
  /** Ends a sentence: `the snapshot is still there`. */
  readonly kept: string
  /** Advice on how to continue; null for the usual remedy of a cancelled command. */
  readonly advice?: string | null
}

/** Throws ServiceError `missing_input` when there is no one to ask, and `cancelled` when the answer is no. */
export async function confirm(
  canAsk: boolean,
  { doing, question, kept, advice = 'Answer y or give --yes to confirm.' }: Confirmation,
): Promise<void> {
  if (!canAsk) throw new ServiceError('missing_input', `${doing} needs --yes when there is no terminal to prompt on.`)
  const { askConfirmation } = await import('./prompt.ts')
  if (await askConfirmation(question)) return
  throw new ServiceError('cancelled', `Cancelled: ${kept}.`, { suggestions: advice === null ? [] : [advice] })
}
