/** A file is imported for one user: one that speaks of several people is refused before their data are mixed. */
import { ServiceError } from '../../../core/errors.ts'

export class OnePerson {
  private known: string | undefined

  /** `id` as the file writes it; undefined where a record names nobody. Throws ServiceError `invalid_file` for a second person. */
  see(id: string | undefined, place: string): void {
    if (id === undefined || id === '') return
    this.known ??= id
    if (id === this.known) return
    throw new ServiceError('invalid_file', `The file holds data of more than one person: ${place} is of another one.`, {
      suggestions: ['Split the file by person and import each part for its own user.'],
    })
  }
}
