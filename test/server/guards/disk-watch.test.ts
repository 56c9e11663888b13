/** The disk state that a server tracks, and how often it reports it. */
import { afterEach, describe, expect, it } from 'vitest'
import { folderIsFull } from '../../../src/core/disk-full.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { DiskWatch } from '../../../src/server/guards/disk-watch.ts'
import { until } from '../../kit/until.ts'

const full = () => folderIsFull('/data', undefined)
let watch: DiskWatch
let lines: string[]
let hasRoom: boolean
let looks: number
let rooms: number

function begin(): void {
  lines = []
  hasRoom = true
  looks = 0
  rooms = 0
  watch = new DiskWatch({
    async checkRoom() {
      looks++
      if (!hasRoom) throw full()
    },
    log: line => lines.push(line),
    onRoom: () => {
      rooms++
    },
    lookMs: 5,
  })
}
afterEach(() => watch.stop())

describe('the disk watch', () => {
  it('does not check before a write fails', async () => {
    begin()
    expect(await watch.isFull()).toBe(false)
    expect(watch.report(new ServiceError('store_busy', 'busy'))).toBe(false)
    expect(watch.report(new Error('ENOSPC'))).toBe(false)
    expect({ looks, lines }).toEqual({ looks: 0, lines: [] })
  })

  it('reports a full disk until there is space, each change once, and resumes paused work', async () => {
    begin()
    hasRoom = false
    for (let i = 0; i < 100; i++) expect(watch.report(full())).toBe(true)
    expect(await watch.isFull()).toBe(true)
    await until(() => looks > 5)
    expect(watch.report(full())).toBe(true)
    expect(lines).toEqual([expect.stringContaining('/data is full')])
    hasRoom = true
    await until(() => rooms > 0)
    expect(await watch.isFull()).toBe(false)
    expect(lines).toEqual([expect.stringContaining('/data is full'), 'there is space on the disk again'])
    const before = looks
    await new Promise(resolve => setTimeout(resolve, 30))
    expect(looks).toBe(before)
    // the state flips repeatedly: nothing more is reported within the minute
    hasRoom = false
    watch.report(full())
    expect(await watch.isFull()).toBe(true)
    hasRoom = true
    await until(() => rooms > 1)
    expect(lines).toHaveLength(2)
  })

  it('does not call the disk full because one write needed more than is free', async () => {
    begin()
    expect(watch.report(full())).toBe(true)
    expect(await watch.isFull()).toBe(false)
    expect(lines).toHaveLength(1)
  })
})
