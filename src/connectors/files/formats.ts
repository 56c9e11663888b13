/** The file formats that can be imported, and the detection of a file's format. */
import { didYouMean, invalid, ServiceError } from '../../core/errors.ts'
import { gpx } from './activity/gpx.ts'
import { tcx } from './activity/tcx.ts'
import { appleHealth } from './apple/apple-health.ts'
import { entryNames, isZip } from './bytes/zip-entry.ts'
import { dexcom } from './cgm/dexcom.ts'
import { libreview } from './cgm/libreview.ts'
import { fhir } from './fhir/fhir.ts'
import { fit } from './fit/fit.ts'
import { gadgetbridge } from './gadgetbridge/gadgetbridge.ts'
import { garminConnect } from './garmin-connect/garmin.ts'
import { googleTakeout } from './google-takeout/takeout.ts'
import { healthAutoExport } from './health-auto-export/health-auto-export.ts'
import { healthConnect } from './health-connect/health-connect.ts'
import type { Importer } from './importer.ts'
import { itemFile } from './items/file.ts'
import { svcExport } from './items/svc-export.ts'
import { mappedCsv, mappedNdjson } from './mapped/mapped.ts'
import { openMhealth } from './open-mhealth/open-mhealth.ts'
import { oura } from './oura/oura.ts'
import { polarFlow } from './polar-flow/polar.ts'
import { samsungHealth } from './samsung-health/samsung.ts'
import { isDatabase } from './sqlite/private-copy.ts'
import { strava } from './strava/strava.ts'
import { whoop } from './whoop/whoop.ts'
import { withings } from './withings/withings.ts'

/** All importers. A file has the format of the first one that recognizes it. */
export const IMPORTERS: readonly Importer[] = [
  svcExport,
  itemFile,
  googleTakeout,
  garminConnect,
  samsungHealth,
  whoop,
  strava,
  oura,
  withings,
  polarFlow,
  appleHealth,
  fit,
  tcx,
  gpx,
  dexcom,
  libreview,
  healthAutoExport,
  fhir,
  openMhealth,
  healthConnect,
  gadgetbridge,
  // these are last, because they accept any table and any JSON
  mappedNdjson,
  mappedCsv,
]

/** Number of a file's first bytes that `importerFor` needs. */
export const HEAD_BYTES = 4096

/**
 * Returns the importer for a file with these first bytes, or for the requested format. Throws ServiceError `invalid_request` for an unknown
 * format, and ServiceError `invalid_file` for a file in none of the formats.
 */
export function importerFor(head: Uint8Array, forced?: string): Importer {
  if (isSpreadsheet(head)) throw spreadsheetRefused()
  if (forced !== undefined) return importerNamed(forced)
  if (head.length === 0) throw new ServiceError('invalid_file', `The file is empty. Known formats: ${known()}.`)
  const importer = IMPORTERS.find(each => each.recognizes(head))
  if (importer === undefined) throw unknownFormat()
  return importer
}

function unknownFormat(): ServiceError {
  return new ServiceError('invalid_file', `The file has no format that can be imported. Known formats: ${known()}.`)
}

/**
 * Returns the importer for a file, like `importerFor`. Looks into zip files and databases. Also throws ServiceError `invalid_file` for those
 * that are damaged or hostile.
 */
export async function importerOfFile(
  path: string,
  head: Uint8Array,
  forced: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Importer> {
  if (forced === undefined && isDatabase(head)) {
    const { tablesIn } = await import('./sqlite/reader.ts')
    const tables = await tablesIn(path, signal)
    const importer = IMPORTERS.find(each => each.recognizesDatabase?.(tables))
    if (importer === undefined) throw unknownFormat()
    return importer
  }
  if (forced === undefined && isZip(head) && !isSpreadsheet(head)) {
    const importer = archiveImporterFor(await entryNames(path, signal))
    if (importer !== undefined) return importer
  }
  return importerFor(head, forced)
}

/**
 * Returns the importer of a format whose exports are zip files with entries of these names; undefined if the content of an entry must decide.
 * Throws ServiceError `invalid_file` for a zip file that no format can read.
 */
export function archiveImporterFor(names: readonly string[]): Importer | undefined {
  const importer = IMPORTERS.find(each => each.recognizesArchive?.(names))
  if (importer !== undefined || names.some(name => /\.(?:xml|zip)$/i.test(name))) return importer
  throw new ServiceError(
    'invalid_file',
    `The zip file has no export that can be imported. Known formats: ${known()}.`,
    {
      suggestions: [
        'Import the archive as the provider created it. If it contains a single file, unpack it and import that file.',
      ],
    },
  )
}

/** Matches the start of the first file name in an `.xlsx` or `.ods`, which are zip files. */
const FIRST_ENTRY = /^(?:\[Content_Types\]\.xml|_rels\/|xl\/|mimetypeapplication\/vnd\.oasis)/
const ZIP_MARK = 'PK\u0003\u0004'
const ZIP_HEADER_BYTES = 30
/** First bytes of an old Excel file. */
const OLD_WORKBOOK = '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1'

/** Returns whether these are the first bytes of a spreadsheet. */
function isSpreadsheet(head: Uint8Array): boolean {
  const text = Buffer.from(head.subarray(0, 256)).toString('latin1')
  return text.startsWith(OLD_WORKBOOK) || (text.startsWith(ZIP_MARK) && FIRST_ENTRY.test(text.slice(ZIP_HEADER_BYTES)))
}

function spreadsheetRefused(): ServiceError {
  return new ServiceError(
    'invalid_file',
    'The file is a spreadsheet, which cannot be imported; a CSV file of it can.',
    {
      suggestions: ['In the spreadsheet program, save the table as "CSV UTF-8" and import that file.'],
    },
  )
}

function importerNamed(format: string): Importer {
  const importer = IMPORTERS.find(each => each.format === format)
  if (importer !== undefined) return importer
  const names = IMPORTERS.map(each => each.format)
  const msg = `"${format}" is not an import format.${didYouMean(format, names)} Allowed: ${known()}`
  throw invalid([{ loc: ['query', 'format'], msg, type: 'enum' }])
}

function known(): string {
  return IMPORTERS.map(each => `${each.format} (${each.title})`).join(', ')
}
