/** Time zones: offsets across clock changes, and wall-clock times that occur twice or never. */
import { describe, expect, it } from 'vitest'
import { fromLocal, isTimeZone, toLocal, zoneOffset } from '../../src/core/zones.ts'

describe('time zone offsets', () => {
  it('change at the exact second of a clock change', () => {
    const spring = Date.UTC(2026, 2, 29, 1)
    expect(zoneOffset('Europe/Berlin', spring - 1)).toBe(3600)
    expect(zoneOffset('Europe/Berlin', spring)).toBe(7200)
    const autumn = Date.UTC(2026, 9, 25, 1)
    expect(zoneOffset('Europe/Berlin', autumn - 1)).toBe(7200)
    expect(zoneOffset('Europe/Berlin', autumn)).toBe(3600)
  })

  it('agree with the runtime at any time from 1975 to 2090', () => {
    for (const zone of ['America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC']) {
      const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
      for (let at = Date.UTC(1975, 0, 1); at < Date.UTC(2090, 0, 1); at += 97.31 * 86_400_000) {
        const name = format.formatToParts(at).find(part => part.type === 'timeZoneName')?.value ?? ''
        const m = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name)
        const size = Number(m?.[2] ?? 0) * 3600 + Number(m?.[3] ?? 0) * 60
        expect(zoneOffset(zone, at), `${zone} ${new Date(at).toISOString()}`).toBe(m?.[1] === '-' ? -size : size)
      }
    }
  })

  it('use the earlier of two equal wall-clock times, and move forward over a gap', () => {
    const twice = Date.UTC(2026, 9, 25, 2, 30)
    expect(new Date(fromLocal('Europe/Berlin', twice)).toISOString()).toBe('2026-10-25T00:30:00.000Z')
    const never = Date.UTC(2026, 2, 29, 2, 30)
    const moved = fromLocal('Europe/Berlin', never)
    expect(new Date(toLocal('Europe/Berlin', moved)).toISOString()).toBe('2026-03-29T03:30:00.000Z')
    const plain = Date.UTC(2026, 5, 1, 12)
    expect(toLocal('Europe/Berlin', fromLocal('Europe/Berlin', plain))).toBe(plain)
  })

  it('exist for valid identifiers only', () => {
    expect(['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires'].map(isTimeZone)).toEqual([true, true, true])
    expect(['Mars/Base', '+02:00', '', 'Europe'].map(isTimeZone)).toEqual([false, false, false, false])
  })
})
