/** A document about a person, combined with the fields that flags set. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mergeFields, readUserDocument } from '../../../src/cli/users/user-document.ts'
import { readPersonFlags } from '../../../src/cli/users/user-person.ts'
import { flatFacts } from '../../../src/cli/views/fact-lines.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const writeFile = (content: string): string => {
  const file = join(temporaryFolder(), 'person.json')
  writeFileSync(file, content)
  return file
}

describe('a document about a person', () => {
  it('has the file’s content, with or without a byte order mark, and is empty without a file', async () => {
    expect(await readUserDocument(writeFile('\ufeff{"first_name":"Ada"}'))).toEqual({ first_name: 'Ada' })
    expect(await readUserDocument(undefined)).toEqual({})
  })

  it.each([['{"first_name":"Secret"'], ['["Secret"]'], ['"Secret"'], ['']])(
    'that is %s is refused without repeating its content',
    async content => {
      const refused = await readUserDocument(writeFile(content)).catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'usage', message: expect.stringMatching(/JSON/) })
      expect(String(refused)).not.toContain('Secret')
    },
  )

  it('is overridden by flags, field by field, including within an address', () => {
    const document = { first_name: 'Ada', address: { city: 'Anytown', zip: '1', zip_code: '1' }, medical_proxy: null }
    expect(mergeFields(document, readPersonFlags({ 'last-name': 'Sample', zip: '2' }))).toEqual({
      first_name: 'Ada',
      last_name: 'Sample',
      address: { city: 'Anytown', zip: '2', zip_code: '2' },
      medical_proxy: null,
    })
    expect(mergeFields(document, readPersonFlags({}))).toEqual(document)
  })
})

describe('values in a nested response', () => {
  it('are labeled by their path', () => {
    expect(flatFacts({ a: 1, address: { city: 'X', more: { b: null } }, list: [1, 2] })).toEqual({
      a: 1,
      'address.city': 'X',
      'address.more.b': null,
      list: '[1,2]',
    })
  })
})
