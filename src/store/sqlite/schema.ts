/** The schema, version by version. A version that has been released is never edited: a change is a new version. */
import { VERSION_1 } from './schema/version-1.ts'
import { VERSION_2 } from './schema/version-2.ts'
import { VERSION_3 } from './schema/version-3.ts'
import { VERSION_4 } from './schema/version-4.ts'
import { VERSION_5 } from './schema/version-5.ts'
import { VERSION_6 } from './schema/version-6.ts'
import { VERSION_7 } from './schema/version-7.ts'
import { VERSION_8 } from './schema/version-8.ts'
import { VERSION_9 } from './schema/version-9.ts'
import { VERSION_10 } from './schema/version-10.ts'

/** What brings an empty file to version 1, version 1 to version 2, and so on. */
export const VERSIONS: readonly string[] = [
  VERSION_1,
  VERSION_2,
  VERSION_3,
  VERSION_4,
  VERSION_5,
  VERSION_6,
  VERSION_7,
  VERSION_8,
  VERSION_9,
  VERSION_10,
]
