/** Labs and markers have every field, stable unique IDs, and existing LOINC codes. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LABS, loadMarkers } from '../../src/catalogue/labs/labs.ts'
import { loadLoinc } from '../../src/catalogue/labs/markers.ts'

/** Returns the mod 10 check digit: from the right, every other digit is doubled, starting with the last. */
function checkDigit(number: string): number {
  let sum = 0
  for (const [i, digit] of [...number].reverse().entries()) {
    const value = Number(digit) * (i % 2 === 0 ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return (10 - (sum % 10)) % 10
}

describe('labs', () => {
  it('include at least eight, with unique IDs and slugs and every field', () => {
    expect(LABS.length).toBeGreaterThanOrEqual(8)
    expect(new Set(LABS.map(each => each.id)).size).toBe(LABS.length)
    expect(new Set(LABS.map(each => each.slug)).size).toBe(LABS.length)
    for (const lab of LABS) {
      for (const value of Object.values(lab)) expect(value === '' || value === undefined).toBe(false)
      expect(lab.collection_methods.length * lab.sample_types.length).toBeGreaterThan(0)
    }
  })
})

describe('LOINC table', () => {
  it('has unique codes with correct check digits', async () => {
    const rows = await loadLoinc()
    const wrong = rows.filter(({ code }) => checkDigit(code.slice(0, -2)) !== Number(code.slice(-1)))
    expect(wrong).toEqual([])
    expect(new Set(rows.map(row => row.code)).size).toBe(rows.length)
  })

  it('is shipped with its notice', () => {
    const notice = readFileSync(new URL('../../src/catalogue/loinc-NOTICE.md', import.meta.url), 'utf8')
    expect(notice).toContain('This material contains content from LOINC (http://loinc.org)')
  })

  const shared = new URL('../fixtures/samples/loinc/loinc.csv', import.meta.url)
  it('has the same codes and names as its source table', async () => {
    const lines = new Map(
      readFileSync(shared, 'utf8')
        .split('\n')
        .map(line => [line.slice(0, line.indexOf(',')), line]),
    )
    const wrong = (await loadLoinc()).filter(({ code, name }) => !lines.get(code)?.replaceAll('"', '').includes(name))
    expect(wrong).toEqual([])
  })
})

describe('markers', () => {
  it('include at least 300 biomarkers and panels with unique IDs, and slugs and codes that are unique within a lab', async () => {
    const markers = await loadMarkers()
    expect(new Set(markers.map(each => each.description)).size).toBeGreaterThanOrEqual(300)
    expect(new Set(markers.map(each => each.type))).toEqual(new Set(['biomarker', 'panel']))
    for (const key of ['id', 'slug', 'provider_id'] as const) {
      expect(new Set(markers.map(each => `${each.lab_id} ${each[key]}`)).size, key).toBe(markers.length)
    }
    expect(new Set(markers.map(each => each.id)).size).toBe(markers.length)
    expect(new Set(markers.map(each => each.lab_id))).toEqual(new Set(LABS.map(each => each.id)))
    expect(await loadMarkers()).toBe(markers)
  })

  it('have every field, prices as text, and expected results with a LOINC code from the table', async () => {
    const table = new Map((await loadLoinc()).map(row => [row.code, row]))
    for (const marker of await loadMarkers()) {
      const wrong: string[] = []
      if (marker.name === '' || marker.description === '' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(marker.slug))
        wrong.push('text')
      if (!/^(N\/A|\d+\.\d\d)$/.test(marker.price)) wrong.push('price')
      if (marker.worst_case_tat_days <= marker.common_tat_days) wrong.push('days')
      if (marker.type === 'panel' ? marker.expected_results.length < 2 : marker.expected_results.length !== 1) {
        if (marker.name !== 'HIV Screen') wrong.push('results')
      }
      for (const { id, name, slug, provider_id, lab_id, required, loinc } of marker.expected_results) {
        const row = table.get(loinc.code)
        if (!Number.isInteger(id) || name === '' || slug === '' || provider_id === '') wrong.push('result')
        if (lab_id !== marker.lab_id || typeof required !== 'boolean') wrong.push('result')
        if (!row || row.class === 'PANEL' || row.name !== loinc.name || row.unit !== loinc.unit) wrong.push(loinc.code)
        if (!Number.isInteger(loinc.id) || loinc.slug === '') wrong.push('loinc')
      }
      if (wrong.length > 0) throw new Error(`${marker.name} of lab ${marker.lab_id}: ${wrong.join(', ')}`)
    }
  })

  it('keep their IDs when other markers are added or removed: glucose at lab 6 is 602345', async () => {
    const glucose = (await loadMarkers()).find(each => each.id === 602_345)
    expect(glucose).toMatchObject({ name: 'Glucose', slug: 'glucose', lab_id: 6, unit: 'mg/dL' })
    expect(glucose?.expected_results[0]?.loinc.code).toBe('2345-7')
  })
})
