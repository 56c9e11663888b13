/** Implements the part of the port that stores imports. */
import { part, read, writeAbout, writeAsideAbout } from '../part.ts'
import { addFilePart, findFilePart, listFiles, removeFile, removeOldFile } from './import-files.ts'
import { listImports } from './imports.ts'
import { undoImport } from './undo.ts'

export class ImportStore extends part({
  list: read(listImports),
  undo: writeAbout(undoImport),
  addFilePart: writeAsideAbout(addFilePart),
  filePart: read(findFilePart),
  removeFile: writeAsideAbout(removeFile),
  files: read(listFiles),
  removeOldFile: writeAsideAbout(removeOldFile),
}) {}
