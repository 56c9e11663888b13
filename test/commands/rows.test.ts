/** The rows of csv and ndjson: the same columns for any data, and the same documents as json. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'

const sandbox = new InProcessSandbox()

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada'])
  const link = ['link', 'password', 'whoop', '--user', 'ada', '--username', 'ada', '--password-stdin']
  await sandbox.json(link, { input: 'secret\n' })
  const xml = '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_GB">\n</HealthData>\n'
  writeFileSync(path.join(sandbox.folder, 'export.xml'), xml)
})

async function print(args: readonly string[], format: string): Promise<readonly string[]> {
  const run = await sandbox.run([...args, '--output', format])
  expect(run.status, run.stderr).toBe(0)
  return run.stdout.trimEnd().split('\n')
}

const documents = async (args: readonly string[]): Promise<unknown[]> =>
  (await print(args, 'ndjson')).map(line => JSON.parse(line))

describe('output of a single object', () => {
  test.each<[string, readonly string[]]>([
    ['the clock', ['engine', 'clock', 'set', 'real']],
    ['a profile', ['profile', 'show', 'local']],
    ['the settings', ['whoami']],
    ['a user', ['user', 'get', 'ada']],
  ])('is the json document in ndjson, and a header and a row in csv: %s', async (_what, args) => {
    const [document, ...more] = await documents(args)
    expect(more).toEqual([])
    expect(Object.keys(document as object)).toEqual(Object.keys(await sandbox.json<object>(args)))
    expect(await print(args, 'csv')).toHaveLength(2)
  })

  test('is the report as one ndjson line for an import', async () => {
    expect(await documents(['import', 'export.xml', '--user', 'ada'])).toEqual([
      expect.objectContaining({ format: 'apple_health', stored: {} }),
    ])
  })
})

test('lists resources in ndjson as the same documents as in json', async () => {
  const resources = ['timeseries', 'resources']
  expect(await documents(resources)).toEqual(await sandbox.json(resources))
})

describe('samples', () => {
  const get = (resource: string, start = '2020-01-01') => ['timeseries', 'get', 'ada', resource, '--start', start]
  const SOURCE = 'resource,provider,source_type,app_id,device_id,sport,workout_id'
  const HEAD = `${SOURCE},start,end,timezone_offset,type,unit`

  test.each([
    ['steps', 'value'],
    ['blood_pressure', 'systolic,diastolic'],
    ['body_temperature', 'value,sensor_location'],
    ['insulin_injection', 'value,delivery_mode,delivery_form,bolus_purpose'],
    ['note', 'value,tags'],
  ])('have the same columns for %s if there are none', async (resource, columns) => {
    expect(await print(get(resource, '2099-01-01'), 'csv')).toEqual([`${HEAD},${columns}`])
  })

  test('have the same columns if there are any, also in ndjson', async () => {
    const [head, first = ''] = await print(get('steps'), 'csv')
    expect(head).toBe(`${HEAD},value`)
    expect(first.split(',')).toHaveLength(13)
    const [row] = await documents(get('steps'))
    expect(Object.keys(row as object).join()).toBe(head)
    expect(row).toMatchObject({ resource: 'steps', provider: 'whoop', app_id: null, type: null, unit: 'count' })
  })

  test('have no empty columns in a table, nor a column for the one resource requested', async () => {
    const [head] = await print(get('steps'), 'table')
    expect(head?.split(/ +/)).toEqual(['provider', 'source_type', 'start', 'end', 'unit', 'value'])
  })
})
