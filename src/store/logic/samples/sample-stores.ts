/** Implements the parts of the port that read samples, summaries and workout streams. */
import { onDatabase, part, read, writeAbout } from '../part.ts'
import { readPage } from './reader.ts'
import { deleteSamples } from './restore.ts'
import { scanAll } from './scan.ts'
import { findStream, streamIds } from './streams.ts'
import { findSummary, readSummaries } from './summaries.ts'

export class SampleStore extends part({
  page: read(readPage),
  scan: onDatabase(scanAll),
  delete: writeAbout(deleteSamples),
}) {}

export class SummaryStore extends part({
  list: read(readSummaries),
  find: read(findSummary),
}) {}

export class StreamStore extends part({
  find: read(findStream),
  ids: read(streamIds),
}) {}
