/** The OpenAPI document before a judge that is not ours: Redocly's recommended rules, each one that is off with its reason. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../../src/contract/kernel/openapi.ts'

const RULES_THAT_ARE_OFF = {
  // `/v2/user/resolve/{client_user_id}` beside `/v2/user/{user_id}/info`: these paths are the interface's, and a literal wins
  'no-ambiguous-paths': 'off',
} as const

describe('openapi document', () => {
  it('passes the linter: no error and no warning', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: RULES_THAT_ARE_OFF })
    const document = openApiDocument({ version: '1.0.0', serverUrl: 'https://health.example' })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    const words = problems.map(each => `${each.ruleId}: ${each.message} at ${each.location[0]?.pointer}`)
    expect(words).toEqual([])
  }, 60_000)
})
