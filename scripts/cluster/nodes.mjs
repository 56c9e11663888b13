/** The nodes of a cluster: `svc serve` processes that share a database and a master key. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const svc = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'bin', 'run.js')

/** A node's data folder contains scratch files only, and each node has its own. */
function variables(group, name, { store, masterKey }) {
  return {
    SVC_STORE: store,
    SVC_MASTER_KEY: masterKey,
    SVC_DATA_DIR: path.join(group.folder, name),
    SVC_CONFIG_DIR: path.join(group.folder, 'config'),
  }
}

/** Starts a node behind a proxy of this machine, and waits until it is ready. */
export async function startNode(group, { name, port, publicUrl, ...shared }) {
  const args = [svc, 'serve', '--port', `${port}`, '--trust-proxy', '127.0.0.1', '--log-format', 'json']
  const env = { ...variables(group, name, shared), SVC_PUBLIC_URL: publicUrl }
  const node = group.start(name, process.execPath, args, env)
  await node.ready(() => isReady(`http://127.0.0.1:${port}`))
  return node
}

/** Creates an operator's key of the local team, which stays valid when a node ends. */
export async function createKey(group, shared) {
  const args = [svc, 'engine', 'key', 'create', 'local', '--operator', '--json']
  return JSON.parse(await group.run(process.execPath, args, variables(group, 'admin', shared))).api_key
}

/** Returns whether a server accepts requests. */
export async function isReady(url) {
  try {
    return (await fetch(`${url}/readyz`)).ok
  } catch {
    return false
  }
}
