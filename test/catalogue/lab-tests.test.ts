/** Lab tests, lab accounts and reference ranges refer only to labs, markers and codes of the catalogue. */
import { describe, expect, it } from 'vitest'
import { allowedAccounts, covers, labAccounts } from '../../src/catalogue/labs/lab-accounts.ts'
import { LAB_QUESTIONS } from '../../src/catalogue/labs/lab-questions.ts'
import { labTests, markersById } from '../../src/catalogue/labs/lab-tests.ts'
import { LABS } from '../../src/catalogue/labs/labs.ts'
import { loadLoinc } from '../../src/catalogue/labs/markers.ts'
import { RANGES, referenceRange } from '../../src/catalogue/labs/reference-ranges.ts'

describe('lab tests', () => {
  it('include at least ten active ones and every collection method, with unique IDs and slugs', () => {
    expect(labTests().filter(each => each.status === 'active').length).toBeGreaterThanOrEqual(10)
    expect(new Set(labTests().map(each => each.id)).size).toBe(labTests().length)
    expect(new Set(labTests().map(each => each.slug)).size).toBe(labTests().length)
    expect(new Set(labTests().map(each => each.method)).size).toBe(4)
  })

  it('contain markers of their lab, with a sample type and method that the lab supports', async () => {
    const markers = await markersById()
    for (const test of labTests()) {
      const lab = LABS.find(each => each.id === test.labId)
      expect(lab?.collection_methods, test.slug).toContain(test.method)
      expect(lab?.sample_types, test.slug).toContain(test.sampleType)
      expect(test.markerIds.length).toBeGreaterThan(0)
      for (const id of test.markerIds) expect(markers.get(id)?.lab_id, `${test.slug} ${id}`).toBe(test.labId)
    }
  })

  it('have stable IDs: essential-health has the same ID on every machine', () => {
    expect(labTests().find(each => each.slug === 'essential-health')?.id).toBe(ESSENTIAL_HEALTH)
  })
})

/** From the SHA-256 of "svc lab test essential-health". */
const ESSENTIAL_HEALTH = '0135a0fd-9582-88cb-94f4-0cbc303cbf85'

describe('lab accounts', () => {
  it('number at least two, belong to existing labs, and include a suspended one', () => {
    expect(labAccounts().length).toBeGreaterThanOrEqual(2)
    for (const account of labAccounts()) expect(LABS.map(each => each.id)).toContain(account.labId)
    expect(labAccounts().map(each => each.status)).toEqual(expect.arrayContaining(['active', 'suspended']))
  })

  it('are available to the teams on their allowlist, or to all teams without one', () => {
    const [first, second] = labAccounts()
    if (!first || !second) throw new Error('two accounts were expected')
    const accounts = [{ ...first, teamIdAllowlist: ['mine'] }, second]
    expect(allowedAccounts('mine', accounts)).toHaveLength(2)
    expect(allowedAccounts('theirs', accounts)).toEqual([second])
  })

  it('cover markers of their lab and type, and none while suspended', () => {
    const panels = labAccounts().find(each => each.markerTypes)
    const suspended = labAccounts().find(each => each.status === 'suspended')
    if (!panels || !suspended) throw new Error('both accounts were expected')
    expect(covers(panels, { lab_id: panels.labId, type: 'panel' })).toBe(true)
    expect(covers(panels, { lab_id: panels.labId, type: 'biomarker' })).toBe(false)
    expect(covers(panels, { lab_id: 6, type: 'panel' })).toBe(false)
    expect(covers(suspended, { lab_id: suspended.labId, type: 'panel' })).toBe(false)
  })
})

describe('reference ranges', () => {
  it('are for tests in the LOINC table that have a unit, and have ordered bounds', async () => {
    const table = new Map((await loadLoinc()).map(row => [row.code, row]))
    for (const code of RANGES.keys()) {
      const row = table.get(code)
      expect(row?.unit, code).toBeTruthy()
      const range = row && referenceRange(row)
      expect(range?.low !== null || range.high !== null, code).toBe(true)
      if (range?.low != null && range.high !== null) expect(range.low, code).toBeLessThan(range.high)
    }
  })

  it('and questions belong to existing markers', async () => {
    const codes = new Set((await loadLoinc()).map(row => row.code))
    for (const code of Object.keys(LAB_QUESTIONS)) expect(codes).toContain(code)
  })
})
