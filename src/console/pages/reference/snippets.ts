/** Writes a request as code, in the languages of the reference. */
import { shellWord } from '../../parts/small.tsx'

export interface SentRequest {
  readonly method: string
  /** URL, as the service is reached from the browser. `svc` needs only its path and query. */
  readonly url: string
  /** Header with the API key or link token, and the variable that contains it; null if the operation needs none. */
  readonly secret: { readonly header: string; readonly variable: string } | null
  /** Body with its media type. The text is JSON; null for a file. */
  readonly body: { readonly type: string; readonly text: string | null } | null
  readonly reply: 'json' | 'nothing' | 'file'
}

interface Snippet {
  readonly title: string
  readonly write: (request: SentRequest, server: string) => string
}

/** The languages, in the order of the tabs. `server` is the URL to which a request's URL is added. */
export const SNIPPETS: Readonly<Record<string, Snippet>> = {
  curl: { title: 'curl', write: writeCurl },
  svc: { title: 'svc', write: writeCommand },
  javascript: { title: 'JavaScript', write: writeJavaScript },
  python: { title: 'Python', write: writePython },
}

/** The file to send, which the reader replaces, and the file to save a response in. */
const FILE = 'FILE'
const SAVED = 'response.bin'

function writeCurl({ method, url, secret, body, reply }: SentRequest, server: string): string {
  return join(
    ' \\\n  ',
    `curl ${method === 'GET' ? '' : `--request ${method} `}${shellWord(server + url)}`,
    secret && `--header "${secret.header}: $${secret.variable}"`,
    body && `--header 'content-type: ${body.type}'`,
    body && (body.text === null ? `--data-binary @${FILE}` : `--data ${shellWord(body.text)}`),
    reply === 'file' && `--output ${SAVED}`,
  )
}

/** A command reads its key and its server from the profile. */
function writeCommand({ method, url, body, reply }: SentRequest): string {
  const input = body && (body.text === null ? `--input ${FILE}` : "--input - <<'JSON'")
  const command = join(' ', `svc api ${method} ${shellWord(url)}`, input, reply === 'file' && `> ${SAVED}`)
  return join('\n', command, body?.text ? `${body.text}\nJSON` : null)
}

function writeJavaScript({ method, url, secret, body, reply }: SentRequest, server: string): string {
  const isFile = body?.text === null
  const files = join(', ', isFile && 'readFile', reply === 'file' && 'writeFile')
  const headers = join(
    '\n    ',
    secret && `'${secret.header}': process.env.${secret.variable},`,
    body && `'content-type': '${body.type}',`,
  )
  const options = join(
    '\n  ',
    method !== 'GET' && `method: '${method}',`,
    headers && `headers: {\n    ${headers}\n  },`,
    body && `body: ${isFile ? `await readFile('${FILE}')` : `JSON.stringify(${indent(`${body.text}`, 2)})`},`,
  )
  const read = {
    json: 'console.log(await response.json())',
    nothing: 'console.log(response.status)',
    file: `await writeFile('${SAVED}', Buffer.from(await response.arrayBuffer()))`,
  }
  return join(
    '\n',
    files && `import { ${files} } from 'node:fs/promises'\n`,
    `const response = await fetch(${JSON.stringify(server + url)}${options && `, {\n  ${options}\n}`})`,
    'if (!response.ok) throw new Error(await response.text())',
    read[reply],
  )
}

function writePython({ method, url, secret, body, reply }: SentRequest, server: string): string {
  const isFile = body?.text === null
  const headers = join(
    ', ',
    secret && `"${secret.header}": os.environ["${secret.variable}"]`,
    isFile && `"content-type": "${body.type}"`,
  )
  const read = {
    json: 'print(response.json())',
    nothing: 'print(response.status_code)',
    file: `with open("${SAVED}", "wb") as file:\n    file.write(response.content)`,
  }
  return join(
    '\n',
    secret && 'import os\n',
    'import requests\n',
    `response = requests.${method.toLowerCase()}(\n    ${JSON.stringify(server + url)},`,
    headers && `    headers={${headers}},`,
    body && (isFile ? `    data=open("${FILE}", "rb"),` : `    json=${indent(pythonLiteral(`${body.text}`), 4)},`),
    ')\nresponse.raise_for_status()',
    read[reply],
  )
}

/** Converts JSON to a Python literal. Only the names outside of texts differ. */
function pythonLiteral(json: string): string {
  const names: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }
  return json.replace(/"(?:[^"\\]|\\.)*"|true|false|null/g, part => names[part] ?? part)
}

const indent = (text: string, by: number): string => text.replaceAll('\n', `\n${' '.repeat(by)}`)

const join = (separator: string, ...parts: readonly (string | false | null)[]): string =>
  parts.filter(Boolean).join(separator)
