/** Events of older versions: they are listed in order, and their bodies match the schemas. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventBody } from '../../../src/contract/events/event-payload.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { openHarness } from '../../kit/harness.ts'

describe.each(['data-folder-v1', 'data-folder-v2', 'data-folder-v3', 'data-folder-v4'])('%s', name => {
  it('lists its events, each with a body that matches its schema', async () => {
    const dataDir = temporaryFolder()
    cpSync(join(import.meta.dirname, '../../fixtures', name), dataDir, { recursive: true })
    const h = await openHarness({ dataDir })
    const asked = { order: 'asc' as const, payload: true, limit: 500 }
    const { data } = await h.call('event.list', { query: asked })
    expect(data.length).toBeGreaterThan(10)
    for (const { event_type, payload } of data) {
      const problems = eventBody(event_type)?.safeParse(payload).error?.issues ?? []
      expect(problems, event_type).toEqual([])
    }
    const again = await h.call('event.list', { query: asked })
    expect(JSON.stringify(again.data)).toBe(JSON.stringify(data))
    expect((await h.call('engine.check', {})).problems).toEqual([])
    await h.engine.close()
  })
})
