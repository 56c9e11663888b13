/** Asks for confirmation before an action that cannot be undone, unless --yes is given. */
import { ServiceError } from '../../core/errors.ts'

export interface Confirmation {
  /** Start of a sentence: `Deleting a snapshot`. */
  readonly doing: string
  readonly question: string
  /** End of a sentence: `the snapshot is still there`. */
  readonly kept: string
  /** Advice on how to continue; null for the usual remedy for a cancelled command. */
  readonly advice?: string | null
}

/** Throws ServiceError `missing_input` if prompts are not possible, and `cancelled` if the user answers no. */
export async function confirm(
  canAsk: boolean,
  { doing, question, kept, advice = 'Answer y or give --yes to confirm.' }: Confirmation,
): Promise<void> {
  if (!canAsk) throw new ServiceError('missing_input', `${doing} needs --yes when there is no terminal to prompt on.`)
  const { askConfirmation } = await import('./prompt.ts')
  if (await askConfirmation(question)) return
  throw new ServiceError('cancelled', `Cancelled: ${kept}.`, { suggestions: advice === null ? [] : [advice] })
}
