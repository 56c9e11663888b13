/**
 * Writes THIRD-PARTY-NOTICES.txt: name, version, licence and notices of every package with code in dist/, according to the build.
 * `npm pack` runs it; the file is not kept in git.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, COPIED_PACKAGES } from './build.mjs'
import { consoleBundle } from './console.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const NOTICE = /^(?:licen[cs]e|copying|notice|copyright|mustread)/i
const RULE = '='.repeat(80)

const mit = copyright => `MIT License

${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`

const icu = `COPYRIGHT AND PERMISSION NOTICE

Copyright (c) 1995-2005 International Business Machines Corporation and others
All rights reserved.

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, and/or sell copies of the
Software, and to permit persons to whom the Software is furnished to do so,
provided that the above copyright notice(s) and this permission notice appear
in all copies of the Software and that both the above copyright notice(s) and
this permission notice appear in supporting documentation.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF THIRD PARTY RIGHTS. IN
NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE BE
LIABLE FOR ANY CLAIM, OR ANY SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES, OR ANY
DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN
CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.

Except as contained in this notice, the name of a copyright holder shall not be
used in advertising or otherwise to promote the sale, use or other dealings in
this Software without prior written authorization of the copyright holder.`

const bsd = copyright => `${copyright}

Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions
are met:
1. Redistributions of source code must retain the above copyright
   notice, this list of conditions and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright
   notice, this list of conditions and the following disclaimer in the
   documentation and/or other materials provided with the distribution.

THIS SOFTWARE IS PROVIDED BY THE AUTHOR AND CONTRIBUTORS \`\`AS IS'' AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE
ARE DISCLAIMED.  IN NO EVENT SHALL THE AUTHOR OR CONTRIBUTORS BE LIABLE
FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS
OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY
OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF
SUCH DAMAGE.`

const lucent = years => `The author of this software is David M. Gay.

Copyright (c) ${years} by Lucent Technologies.

Permission to use, copy, modify, and distribute this software for any
purpose without fee is hereby granted, provided that this entire notice
is included in all copies of any software which is or includes a copy
or modification of this software and in all copies of the supporting
documentation for such software.

THIS SOFTWARE IS BEING PROVIDED "AS IS", WITHOUT ANY EXPRESS OR IMPLIED
WARRANTY.  IN PARTICULAR, NEITHER THE AUTHOR NOR LUCENT MAKES ANY
REPRESENTATION OR WARRANTY OF ANY KIND CONCERNING THE MERCHANTABILITY
OF THIS SOFTWARE OR ITS FITNESS FOR ANY PARTICULAR PURPOSE.`

const JQ = `It holds jq 1.8.2 (https://github.com/jqlang/jq):

${mit('Copyright (C) 2012 Stephen Dolan')}

jq incorporates David M. Gay's dtoa.c and g_fmt.c:

${lucent('1991, 2000, 2001')}

${lucent('1991, 1996')}

jq incorporates decNumber, which is under the ICU License:

${icu}`

const ONIGURUMA = `It holds Oniguruma (https://github.com/kkos/oniguruma), under the BSD 2-clause licence:

${bsd('Copyright (c) 2002-2021  K.Kosako  <kkosako0@gmail.com>\nAll rights reserved.')}`

/** Facts about a package that its own files do not state. */
const UNSAID = {
  'abstract-logging': mit('Copyright (c) James Sumners'),
  'jq-wasm': [JQ, ONIGURUMA].join('\n\n'),
  // in their READMEs
  'pg-copy-streams': mit('Copyright (c) 2013 Brian M. Carlson'),
  'pg-types': mit('Copyright (c) 2014 Brian M. Carlson'),
  pgpass: mit('Copyright (c) 2013-2016 Hannes Hörl'),
  undici: `It holds llhttp (https://github.com/nodejs/llhttp):\n\n${mit('Copyright Fedor Indutny, 2018.')}`,
}

/** The packages with code in dist/: in the bundle, in the console, or copied next to them; by name and version. */
export async function bundledPackages() {
  // the console's routes are text, and do not affect packages
  const built = await Promise.all([bundle(), consoleBundle({})])
  const outputs = built.flatMap(({ metafile }) => Object.values(metafile.outputs))
  const inputs = outputs.flatMap(output => Object.entries(output.inputs))
  const folders = inputs.flatMap(([input, { bytesInOutput }]) => {
    const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0]
    return folder === undefined || bytesInOutput === 0 ? [] : [folder]
  })
  const packages = new Map()
  for (const folder of new Set([...folders, ...COPIED_PACKAGES])) {
    const about = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
    packages.set(`${about.name} ${about.version}`, { ...about, folder })
  }
  return new Map([...packages].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Notice texts of a package, including those of code that it includes. Throws when there is none. */
function noticesOf({ name, folder }) {
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(each => !each.split(path.sep).includes('node_modules') && NOTICE.test(path.basename(each)))
    .filter(each => /^\.(?:md|txt|html)$|^$/.test(path.extname(each)))
    .sort()
  const texts = names.map(each => plain(readFileSync(path.join(root, folder, each), 'utf8'), each))
  const all = [...new Set([...texts, UNSAID[name] ?? ''])].filter(text => text !== '')
  if (all.length === 0) throw new Error(`${folder} says nothing of its licence: add it to UNSAID`)
  return all
}

/** Without HTML tags, and with line feeds only, so that the file is the same on every machine. */
function plain(text, name) {
  const bare = name.endsWith('.html') ? text.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ') : text
  return bare
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map(line => line.trimEnd())
    .join('\n')
    .trim()
}

function loincNotice() {
  const text = readFileSync(path.join(root, 'src', 'catalogue', 'loinc-NOTICE.md'), 'utf8')
  const [, notice] = /## Required notice\n+([\s\S]*?)\n+## /.exec(text) ?? []
  if (notice === undefined) throw new Error('loinc-NOTICE.md has no required notice')
  return `LOINC codes of the lab catalogue (details: src/catalogue/loinc-NOTICE.md)\n\n${notice.trim()}`
}

/** The whole file. */
export function notices(packages) {
  const sections = [...packages].map(([title, about]) =>
    [`${title} (${about.license})`, ...noticesOf(about)].join('\n\n'),
  )
  const head = `Third-party notices

dist/ holds parts of the packages below, and codes of LOINC. Each is under its own licence.
Generated by \`npm run notices\`; the packages are those that the build put there.`
  return `${[head, ...sections, loincNotice()].join(`\n\n${RULE}\n`)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = notices(await bundledPackages())
  writeFileSync(path.join(root, 'THIRD-PARTY-NOTICES.txt'), text)
  console.log(`THIRD-PARTY-NOTICES.txt: ${(text.length / 1e3).toFixed(0)} kB`)
}
