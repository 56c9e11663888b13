/** The part of the port that keeps imports. */
import { part, read, writeAbout } from '../part.ts'
import { listImports } from './imports.ts'
import { undoImport } from './undo.ts'

export class ImportStore extends part({
  list: read(listImports),
  undo: writeAbout(undoImport),
}) {}
