/** Refuses a file about several people before their data is mixed, because a file is imported for one user. */
import { ServiceError } from '../../../core/errors.ts'

export class OnePerson {
  private known: string | undefined

  /**
   * Checks a record's person. `id` is the text in the file; undefined if the record has no person. Throws ServiceError `invalid_file` for a
   * second person.
   */
  see(id: string | undefined, position: string): void {
    if (id === undefined || id === '') return
    this.known ??= id
    if (id === this.known) return
    throw new ServiceError(
      'invalid_file',
      `The file contains data of more than one person: ${position} belongs to a different person than the records before it.`,
      {
        suggestions: ['Split the file by person and import each part for its own user.'],
      },
    )
  }
}
