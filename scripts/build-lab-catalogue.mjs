/**
 * Writes src/catalogue/data/loinc.json from a LOINC table: `node scripts/build-lab-catalogue.mjs test/fixtures/samples/loinc/loinc.csv`.
 * It takes only rows with a long common name, and panels, and changes nothing in them. src/catalogue/loinc-NOTICE.md states their origin
 * and must be distributed with the data.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const source = process.argv[2]
if (source === undefined) {
  process.stderr.write('usage: node scripts/build-lab-catalogue.mjs LOINC.csv\n')
  process.exit(2)
}

/** The fields of one CSV line; quotes double inside quotes, and no field contains a line break. */
function fields(line) {
  const out = []
  let field = ''
  let quoted = false
  for (let i = 0; i < line.length; i++) {
    const c = line[i]
    if (quoted && c === '"' && line[i + 1] === '"') field += line[++i]
    else if (c === '"') quoted = !quoted
    else if (c === ',' && !quoted) {
      out.push(field)
      field = ''
    } else field += c
  }
  return [...out, field]
}

const [head, ...lines] = readFileSync(source, 'utf8')
  .split(/\r?\n/)
  .filter(line => line !== '')
const names = fields(head)
const rows = lines.map(line => Object.fromEntries(fields(line).map((value, i) => [names[i], value])))

const used = rows
  .filter(row => row.long_common_name !== '' || row.class === 'PANEL')
  .map(row => [
    row.code,
    row.long_common_name || row.component,
    row.component,
    row.system,
    row.example_unit_ucum || null,
    row.class,
    row.rank === '' ? null : Number(row.rank),
  ])
  .sort((a, b) => Number(a[0].split('-')[0]) - Number(b[0].split('-')[0]))

const target = new URL('../src/catalogue/data/loinc.json', import.meta.url)
const body = used.map(row => `    ${JSON.stringify(row)}`).join(',\n')
const columns = JSON.stringify(['code', 'name', 'component', 'system', 'unit', 'class', 'rank'])
writeFileSync(
  target,
  `{\n  "notice": "src/catalogue/loinc-NOTICE.md",\n  "columns": ${columns},\n  "rows": [\n${body}\n  ]\n}\n`,
)
process.stdout.write(`${used.length} rows\n`)
