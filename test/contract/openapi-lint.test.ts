/** Checks the OpenAPI document with an independent linter: Redocly's recommended rules; each disabled rule has a reason. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../../src/contract/kernel/openapi.ts'

const RULES_THAT_ARE_OFF = {
  // the interface has both `/v2/user/resolve/{client_user_id}` and `/v2/user/{user_id}/info`; the literal path takes precedence
  'no-ambiguous-paths': 'off',
} as const

describe('openapi document', () => {
  it('passes the linter without errors or warnings', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: RULES_THAT_ARE_OFF })
    const document = openApiDocument({ version: '1.0.0', serverUrl: 'https://health.example' })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    const words = problems.map(each => `${each.ruleId}: ${each.message} at ${each.location[0]?.pointer}`)
    expect(words).toEqual([])
  })
})
