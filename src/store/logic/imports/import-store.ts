/** Implements the part of the port that stores imports. */
import { part, read, writeAbout } from '../part.ts'
import { listImports } from './imports.ts'
import { undoImport } from './undo.ts'

export class ImportStore extends part({
  list: read(listImports),
  undo: writeAbout(undoImport),
}) {}
